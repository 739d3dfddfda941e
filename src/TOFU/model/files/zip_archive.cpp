// SPDX-License-Identifier: GPL-2.0-only

#include "zip_archive.h"

#include "little_endian.h"
#include "model/model_error.h"

#include <cstdint>

namespace TOFU_NS {

[[noreturn]] static void damaged(const std::string &what)
{
  throw ModelError("the file is damaged: " + what);
}

static constexpr std::uint64_t END_SIZE = 22, LOCATOR_SIZE = 20, LONGEST_COMMENT = 65535;
static constexpr std::uint32_t END = 0x06054b50, END64 = 0x06064b50, LOCATOR64 = 0x07064b50,
                               ENTRY = 0x02014b50, HEADER = 0x04034b50, IN_EXTRA = 0xffffffff;
static constexpr std::uint16_t EXTRA64 = 1;

template <class T> T ZipArchive::number(std::uint64_t at) const
{
  if (at > file_.size() || file_.size() - at < sizeof(T)) damaged("it ends inside the archive");
  return read_little_endian<T>(file_.data() + at);
}

/** Place of the list of members; from the end of the file, where a comment may be. */
std::uint64_t ZipArchive::find_directory(std::uint64_t &nmembers) const
{
  const std::uint64_t size = file_.size();
  if (size < END_SIZE) damaged("it is too short for an archive");
  std::uint64_t end = size - END_SIZE;
  for (const std::uint64_t first = end; number<std::uint32_t>(end) != END; end--)
    if (end == 0 || first - end > LONGEST_COMMENT) damaged("it has no list of its members");
  nmembers = number<std::uint16_t>(end + 10);
  const std::uint64_t directory = number<std::uint32_t>(end + 16);
  if (end < LOCATOR_SIZE || number<std::uint32_t>(end - LOCATOR_SIZE) != LOCATOR64)
    return directory;
  const auto end64 = number<std::uint64_t>(end - LOCATOR_SIZE + 8);
  if (number<std::uint32_t>(end64) != END64) damaged("it has no list of its members");
  nmembers = number<std::uint64_t>(end64 + 32);
  return number<std::uint64_t>(end64 + 48);
}

/** Returns: place of the next one. */
std::uint64_t ZipArchive::read_member(std::uint64_t at)
{
  if (number<std::uint32_t>(at) != ENTRY) damaged("its list of members has no end");
  Member member{};
  member.stored = number<std::uint16_t>(at + 10) == 0;
  std::uint64_t packed = number<std::uint32_t>(at + 20);
  member.size = number<std::uint32_t>(at + 24);
  member.begin = number<std::uint32_t>(at + 42);
  const std::uint64_t name = number<std::uint16_t>(at + 28), extra = number<std::uint16_t>(at + 30),
                      comment = number<std::uint16_t>(at + 32);
  const std::uint64_t names = at + 46, extras = names + name, next = extras + extra + comment;
  if (next > file_.size()) damaged("it ends inside the archive");

  // sizes that do not fit are in a field of their own

  for (std::uint64_t k = extras; k + 4 <= extras + extra;) {
    const auto kind = number<std::uint16_t>(k);
    const std::uint64_t end = k + 4 + number<std::uint16_t>(k + 2);
    std::uint64_t value = k + 4;
    if (kind == EXTRA64)
      for (std::uint64_t *size : {&member.size, &packed, &member.begin})
        if (*size == IN_EXTRA && value + 8 <= end) {
          *size = number<std::uint64_t>(value);
          value += 8;
        }
    k = end;
  }
  if (packed != member.size) member.stored = false;
  members_[std::string(file_.substr(names, name))] = member;
  return next;
}

ZipArchive::ZipArchive(std::string_view file) : file_(file)
{
  std::uint64_t nmembers = 0, at = find_directory(nmembers);
  if (nmembers > file.size()) damaged("it has more members than bytes");
  for (std::uint64_t k = 0; k < nmembers; k++) at = read_member(at);
}

std::string_view ZipArchive::member(const std::string &name) const
{
  const auto found = members_.find(name);
  if (found == members_.end()) damaged("it has no member '" + name + "'");
  const Member &member = found->second;
  if (!member.stored) damaged("its member '" + name + "' is compressed");
  if (number<std::uint32_t>(member.begin) != HEADER) damaged("'" + name + "' has no header");
  const std::uint64_t begin = member.begin + 30 + number<std::uint16_t>(member.begin + 26) +
      number<std::uint16_t>(member.begin + 28);
  if (begin > file_.size() || member.size > file_.size() - begin)
    damaged("it ends inside '" + name + "'");
  return file_.substr(begin, member.size);
}

std::string ZipArchive::folder() const
{
  const std::string end = "/data.pkl";
  for (const auto &[name, member] : members_)
    if (name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0)
      return name.substr(0, name.size() - end.size());
  throw ModelError("it is an archive, but not a model of PyTorch");
}

}    // namespace TOFU_NS
