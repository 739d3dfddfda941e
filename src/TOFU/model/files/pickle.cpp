// SPDX-License-Identifier: GPL-2.0-only

#include "pickle.h"

#include "little_endian.h"
#include "model/model_error.h"

#include <algorithm>
#include <cstring>

namespace TOFU_NS {

static constexpr std::size_t LONGEST = 1 << 26;    // numbers are in files of their own

[[noreturn]] static void damaged(const std::string &what)
{
  throw ModelError("the model's pickle is damaged: " + what);
}

/** The stack machine that pickles are programs for. */
class PickleMachine {
  static constexpr std::size_t MOST_ARGUMENTS = 64;

 public:
  PickleMachine(std::string_view bytes, Pickle &result) : rest(bytes), result(result) {}
  void run();

 private:
  using Object = PickleObject;
  static constexpr Object *MARK = nullptr;
  std::string_view rest;
  Pickle &result;
  std::vector<Object *> stack;    // MARK among them
  std::map<std::uint64_t, Object *> memo;

  bool step(unsigned char operation);
  std::string_view take(std::uint64_t nbytes);
  template <class T> T take() { return read_little_endian<T>(take(sizeof(T)).data()); }
  std::string line();
  Object *make(Object::Kind);
  Object *push(Object::Kind);
  Object *pop();
  Object *top();
  std::vector<Object *> pop_to_mark();
  void make_tuple(std::vector<Object *>);
  void append(Object *list, const std::vector<Object *> &);
  void set_items(Object *dict, const std::vector<Object *> &);
  void put(std::uint64_t number) { memo[number] = top(); }
  void get(std::uint64_t number);
  void push_integer(std::int64_t value) { push(Object::INTEGER)->integer = value; }
  void push_text(std::uint64_t size);
  void build();
  void call(Object::Kind);
};

std::string_view PickleMachine::take(std::uint64_t nbytes)
{
  if (nbytes > rest.size()) damaged("it ends inside an object");
  const std::string_view taken = rest.substr(0, nbytes);
  rest.remove_prefix(nbytes);
  return taken;
}

std::string PickleMachine::line()
{
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) damaged("it ends inside a name");
  const std::string text(take(end));
  take(1);
  return text;
}

PickleObject *PickleMachine::make(Object::Kind kind)
{
  result.all_.push_back(std::make_unique<Object>());
  result.all_.back()->kind = kind;
  return result.all_.back().get();
}

PickleObject *PickleMachine::push(Object::Kind kind)
{
  stack.push_back(make(kind));
  return stack.back();
}

PickleObject *PickleMachine::top()
{
  if (stack.empty() || stack.back() == MARK) damaged("an object is missing");
  return stack.back();
}

PickleObject *PickleMachine::pop()
{
  Object *const object = top();
  stack.pop_back();
  return object;
}

std::vector<PickleObject *> PickleMachine::pop_to_mark()
{
  const auto mark = std::find(stack.rbegin(), stack.rend(), MARK);
  if (mark == stack.rend()) damaged("a mark is missing");
  std::vector<Object *> objects(mark.base(), stack.end());
  stack.erase(mark.base() - 1, stack.end());
  return objects;
}

void PickleMachine::make_tuple(std::vector<Object *> objects)
{
  push(Object::TUPLE)->items.assign(objects.begin(), objects.end());
}

void PickleMachine::append(Object *list, const std::vector<Object *> &objects)
{
  if (list->kind != Object::LIST) damaged("something is appended to what is no list");
  list->items.insert(list->items.end(), objects.begin(), objects.end());
}

void PickleMachine::set_items(Object *dict, const std::vector<Object *> &objects)
{
  if (dict->kind != Object::DICT || objects.size() % 2)
    damaged("a value is set in what is no dictionary");
  for (std::size_t k = 0; k < objects.size(); k += 2) {
    const Object &key = *objects[k];
    if (key.kind == Object::TEXT)
      dict->fields[key.text] = objects[k + 1];
    else if (key.kind == Object::INTEGER)
      dict->fields[std::to_string(key.integer)] = objects[k + 1];
  }
}

void PickleMachine::get(std::uint64_t number)
{
  const auto found = memo.find(number);
  if (found == memo.end()) damaged("an object that it refers to is missing");
  stack.push_back(found->second);
}

void PickleMachine::push_text(std::uint64_t size)
{
  const std::string_view text = take(size);
  push(Object::TEXT)->text = std::string(text);
}

/** Arguments and a callable become an object that says so. */
void PickleMachine::call(Object::Kind arguments_kind)
{
  const Object *const arguments = pop(), *const callable = pop();
  if (arguments->kind != arguments_kind || arguments->items.size() > MOST_ARGUMENTS)
    damaged("arguments are no tuple, or too many");
  Object *const object = push(Object::INSTANCE);
  object->text = callable->kind == Object::NAME ? callable->text : "";
  object->items = arguments->items;
}

void PickleMachine::build()
{
  const Object *const state = pop();
  Object *const object = top();
  if (object->kind != Object::INSTANCE) damaged("what is built is no object");
  object->state = state;
}

bool PickleMachine::step(unsigned char operation)
{
  switch (operation) {
    case 0x80:
      take(1);
      break;    // PROTO
    case 0x95:
      take(8);
      break;    // FRAME
    case '.':
      return false;    // STOP
    case '(':
      stack.push_back(MARK);
      break;    // MARK
    case '0':
      pop();
      break;    // POP
    case 'N':
      push(Object::NONE);
      break;    // NONE
    case 0x88:
      push(Object::BOOL)->integer = 1;
      break;    // NEWTRUE
    case 0x89:
      push(Object::BOOL);
      break;    // NEWFALSE
    case 'J':
      push_integer(take<std::int32_t>());
      break;    // BININT
    case 'K':
      push_integer(take<std::uint8_t>());
      break;    // BININT1
    case 'M':
      push_integer(take<std::uint16_t>());
      break;        // BININT2
    case 0x8a: {    // LONG1
      const std::string_view bytes = take(take<std::uint8_t>());
      if (bytes.size() > 8) damaged("an integer is too long");
      std::int64_t value = !bytes.empty() && (bytes.back() & 0x80) ? -1 : 0;
      std::memcpy(&value, bytes.data(), bytes.size());
      push_integer(value);
      break;
    }
    case 'G': {    // BINFLOAT, the other way round
      std::string bytes(take(8));
      std::reverse(bytes.begin(), bytes.end());
      push(Object::REAL)->real = read_little_endian<double>(bytes.data());
      break;
    }
    case 'X':
      push_text(take<std::uint32_t>());
      break;    // BINUNICODE
    case 0x8c:
      push_text(take<std::uint8_t>());
      break;    // SHORT_BINUNICODE
    case 'U':
      push_text(take<std::uint8_t>());
      break;    // SHORT_BINSTRING
    case ')':
      push(Object::TUPLE);
      break;    // EMPTY_TUPLE
    case '}':
      push(Object::DICT);
      break;    // EMPTY_DICT
    case ']':
      push(Object::LIST);
      break;    // EMPTY_LIST
    case 't':
      make_tuple(pop_to_mark());
      break;    // TUPLE
    case 0x85:
      make_tuple({pop()});
      break;        // TUPLE1
    case 0x86: {    // TUPLE2
      Object *const second = pop(), *const first = pop();
      make_tuple({first, second});
      break;
    }
    case 0x87: {    // TUPLE3
      Object *const third = pop(), *const second = pop(), *const first = pop();
      make_tuple({first, second, third});
      break;
    }
    case 'a': {    // APPEND
      Object *const object = pop();
      append(top(), {object});
      break;
    }
    case 'e': {    // APPENDS
      const std::vector<Object *> objects = pop_to_mark();
      append(top(), objects);
      break;
    }
    case 's': {    // SETITEM
      Object *const value = pop(), *const key = pop();
      set_items(top(), {key, value});
      break;
    }
    case 'u': {    // SETITEMS
      const std::vector<Object *> objects = pop_to_mark();
      set_items(top(), objects);
      break;
    }
    case 'q':
      put(take<std::uint8_t>());
      break;    // BINPUT
    case 'r':
      put(take<std::uint32_t>());
      break;    // LONG_BINPUT
    case 0x94:
      put(memo.size());
      break;    // MEMOIZE
    case 'h':
      get(take<std::uint8_t>());
      break;    // BINGET
    case 'j':
      get(take<std::uint32_t>());
      break;       // LONG_BINGET
    case 'c': {    // GLOBAL
      const std::string module = line(), name = line();
      push(Object::NAME)->text = module + " " + name;
      break;
    }
    case 'R':    // REDUCE
    case 0x81:
      call(Object::TUPLE);
      break;    // NEWOBJ
    case 'b':
      build();
      break;       // BUILD
    case 'Q': {    // BINPERSID
      const Object *const id = pop();
      push(Object::PERSISTENT)->items = {id};
      break;
    }
    default:
      damaged("operation " + std::to_string(operation) + " is unknown");
  }
  return true;
}

void PickleMachine::run()
{
  while (step(take<std::uint8_t>())) {}
  result.root_ = top();
}

Pickle::Pickle(std::string_view bytes)
{
  if (bytes.size() > LONGEST) damaged("it is too long");
  PickleMachine(bytes, *this).run();
}

}    // namespace TOFU_NS
