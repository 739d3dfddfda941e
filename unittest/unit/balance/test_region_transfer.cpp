// SPDX-License-Identifier: GPL-2.0-only
//
// The message with the atoms around those that a donor hands over, and the division of the pairs of
// a half list between donor and receiver.

#include "unit/errors.h"

#include "balance/transfer/region_transfer.h"

using namespace TOFU_NS;
using TOFU_TEST::expect_words;
using TOFU_TEST::message_of;

namespace {

using Tags = testing::Types<std::int32_t, std::int64_t>;

template <class Tag> Tag random_tag(std::mt19937_64 &random)
{
  return static_cast<Tag>(1 + random() % std::numeric_limits<Tag>::max());
}

/** Atoms of a donor; some of them go into transfers. */
template <class Tag> struct Donor {
  std::vector<Tag> tag;
  std::vector<double> x;

  Donor(int natoms, unsigned seed)
  {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> coord(-100.0, 100.0);
    for (int i = 0; i < natoms; i++) {
      tag.push_back(random_tag<Tag>(random));
      for (int dim = 0; dim < 3; dim++) x.push_back(coord(random));
    }
    const std::vector<double> special{-0.0, 0.0, 5e-324, -1e-310, 1e6 + 1e-9, 1.0 + 0x1p-52};
    for (std::size_t n = 0; n < special.size() && n < x.size(); n++)
      x[x.size() - 1 - n] = special[n];
    const Tag most = std::numeric_limits<Tag>::max();
    const std::vector<Tag> tags{most, most - 1, 1, 2};
    for (std::size_t n = 0; n < tags.size() && n < tag.size(); n++)
      tag[tag.size() - 1 - n] = tags[n];
  }

  DonorAtoms<Tag> atoms() const { return {static_cast<int>(tag.size()), tag.data(), x.data()}; }
};

AtomSource source_of(int i)
{
  return {7 * i + 3, -i, i ^ 1 << 30};
}

/** Content of a transfer: atoms in the order in which they must arrive. */
struct Content {
  std::vector<int> given, owned, ghosts;
  int nseam, nnamed;
  std::array<double, 3> shift;
  std::array<int, 3> box_shift;

  TransferredRegion region() const
  {
    return {given.data(), static_cast<int>(given.size()), owned, nseam, ghosts, nnamed};
  }

  std::vector<int> all() const
  {
    std::vector<int> atoms = given;
    atoms.insert(atoms.end(), owned.begin(), owned.end());
    atoms.insert(atoms.end(), ghosts.begin(), ghosts.end());
    return atoms;
  }

  template <class Tag> void write(const Donor<Tag> &donor, std::vector<char> &message) const
  {
    RegionWriter::write(donor.atoms(), shift, box_shift, region(), source_of, message);
  }

  template <class Tag> std::vector<char> message(const Donor<Tag> &donor) const
  {
    std::vector<char> written;
    write(donor, written);
    return written;
  }
};

/** Read what begins somewhere in a message and goes to its end. */
void read_rest(ReceivedRegion &region, const std::vector<char> &message, std::size_t begin = 0)
{
  std::size_t cursor = begin;
  region.read(message.data(), message.size(), cursor);
  EXPECT_EQ(cursor, message.size());
}

/** Some atoms of a donor, each once, in any order. */
Content random_content(int natoms, const std::array<int, 3> &numbers, unsigned seed)
{
  std::mt19937_64 random(seed);
  std::vector<int> atoms;
  for (int i = 0; i < natoms; i++) atoms.push_back(i);
  std::shuffle(atoms.begin(), atoms.end(), random);
  const auto given = atoms.begin(), owned = given + numbers[0], ghosts = owned + numbers[1];
  const auto number = [&] {
    return static_cast<int>(random() % 7) - 3;
  };
  Content content{{given, owned}, {owned, ghosts}, {ghosts, ghosts + numbers[2]}, 0, 0, {}, {}};
  content.nseam = static_cast<int>(random() % (numbers[1] + 1));
  if (random() % 2) content.nnamed = static_cast<int>(random() % (content.all().size() + 1));
  for (int dim = 0; dim < 3; dim++) {
    content.box_shift[dim] = number();
    content.shift[dim] = content.box_shift[dim] * 10.3 + 0.01 * number();
  }
  return content;
}

template <class Tag>
void check(const ReceivedRegion &region, const Donor<Tag> &donor, const Content &content)
{
  const std::vector<int> atoms = content.all();
  EXPECT_EQ(region.box_shift(), content.box_shift);
  EXPECT_EQ(region.ngiven(), static_cast<int>(content.given.size()));
  EXPECT_EQ(region.nseam(), static_cast<int>(content.given.size()) + content.nseam);
  EXPECT_EQ(region.nowned(), static_cast<int>(content.given.size() + content.owned.size()));
  EXPECT_EQ(region.nnamed(), content.nnamed);
  ASSERT_EQ(region.natoms(), static_cast<int>(atoms.size()));
  ASSERT_EQ(region.table().size(), atoms.size());
  for (std::size_t n = 0; n < atoms.size(); n++) {
    SCOPED_TRACE("atom " + std::to_string(n));
    const int i = atoms[n];
    const double *const x = &donor.x[3 * i];
    const TableAtom &atom = region.table()[n];
    EXPECT_EQ(atom.source.rank, source_of(i).rank);
    EXPECT_EQ(atom.source.code, source_of(i).code);
    EXPECT_EQ(atom.source.place, source_of(i).place);
    if (static_cast<int>(n) < content.nnamed) continue;
    EXPECT_EQ(atom.id, static_cast<std::int64_t>(donor.tag[i]));
    EXPECT_EQ(std::memcmp(region.x() + 3 * n, x, 3 * sizeof(double)), 0);
    for (int dim = 0; dim < 3; dim++)
      EXPECT_EQ(atom.x[dim], static_cast<float>(x[dim] + content.shift[dim]));
  }
}

template <class Tag> class RegionTransfer : public testing::Test {
 protected:
  const Donor<Tag> donor{100, 1};

  Content content(const std::array<int, 3> &numbers, unsigned seed) const
  {
    return random_content(static_cast<int>(donor.tag.size()), numbers, seed);
  }
};

TYPED_TEST_SUITE(RegionTransfer, Tags);

TYPED_TEST(RegionTransfer, BringsAtomsAsTheDonorHasThem)
{
  for (unsigned seed = 0; seed < 20; seed++) {
    const Content content = this->content({20, 50, 30}, seed);
    std::vector<char> message = content.message(this->donor);
    EXPECT_EQ(message.size() % 8, 0u);
    ReceivedRegion region;
    read_rest(region, message);
    std::fill(message.begin(), message.end(), '\xff');    // the message is not needed any more
    check(region, this->donor, content);
  }
}

TYPED_TEST(RegionTransfer, AsksForTheSourceOfEachAtomOnceInTheirOrder)
{
  std::vector<char> message;
  const Content content = this->content({5, 20, 10}, 1);
  std::vector<int> asked;
  RegionWriter::write(
      this->donor.atoms(), content.shift, content.box_shift, content.region(),
      [&](int i) {
        asked.push_back(i);
        return AtomSource{};
      },
      message);
  EXPECT_EQ(asked, content.all());
}

TYPED_TEST(RegionTransfer, MayLackAtomsOfAnyKind)
{
  unsigned seed = 0;
  for (int ngiven : {0, 1, 9})
    for (int nowned : {0, 1, 8})
      for (int nghosts : {0, 1, 7}) {
        const Content content = this->content({ngiven, nowned, nghosts}, seed++);
        ReceivedRegion region;
        read_rest(region, content.message(this->donor));
        check(region, this->donor, content);
      }
}

TYPED_TEST(RegionTransfer, MayComeFromADonorWithoutAtoms)
{
  std::vector<char> message;
  RegionWriter::write(
      DonorAtoms<TypeParam>{}, {}, {1, 0, -1}, {}, [](int) { return AtomSource{}; }, message);
  ReceivedRegion region;
  read_rest(region, message);
  EXPECT_EQ(region.natoms(), 0);
  EXPECT_EQ(region.box_shift(), (std::array<int, 3>{1, 0, -1}));
}

TYPED_TEST(RegionTransfer, LeavesTheCursorWhereTheNextOneBegins)
{
  std::vector<char> message;
  std::vector<Content> contents;
  std::vector<std::size_t> ends;
  for (const auto &numbers : {std::array<int, 3>{3, 4, 5}, {0, 0, 0}, {1, 0, 0}, {50, 30, 20}}) {
    contents.push_back(this->content(numbers, static_cast<unsigned>(contents.size())));
    contents.back().write(this->donor, message);
    ends.push_back(message.size());
  }
  std::size_t cursor = 0;
  for (std::size_t n = 0; n < contents.size(); n++) {
    ReceivedRegion region;
    region.read(message.data(), message.size(), cursor);
    EXPECT_EQ(cursor, ends[n]);
    check(region, this->donor, contents[n]);
  }
  EXPECT_THROW(ReceivedRegion().read(message.data(), message.size(), cursor), std::runtime_error);
}

TYPED_TEST(RegionTransfer, MayFollowOtherBytes)
{
  const Content content = this->content({3, 4, 5}, 1);
  const std::vector<char> alone = content.message(this->donor);
  for (std::size_t nbytes : {8, 16, 24, 64, 1000}) {
    std::vector<char> message(nbytes, 'x');
    content.write(this->donor, message);
    EXPECT_EQ(std::vector<char>(message.begin(), message.begin() + nbytes),
              std::vector<char>(nbytes, 'x'));
    EXPECT_EQ(std::vector<char>(message.begin() + nbytes, message.end()), alone);
    ReceivedRegion region;
    read_rest(region, message, nbytes);
    check(region, this->donor, content);
  }
}

TYPED_TEST(RegionTransfer, LeavesNothingInItsReaderForTheNext)
{
  ReceivedRegion region;
  unsigned seed = 0;
  for (const auto &numbers :
       {std::array<int, 3>{30, 40, 30}, {2, 1, 3}, {20, 0, 9}, {0, 0, 0}, {1, 0, 0}}) {
    const Content content = this->content(numbers, seed++);
    read_rest(region, content.message(this->donor));
    check(region, this->donor, content);
  }
}

/* ---------------------------------------------------------------------- */

class DamagedRegionTransfer : public testing::Test {
 protected:
  static constexpr int NGIVEN = 2, NSEAM = 3, NOWNED = 5, NATOMS = 9, NNAMED = 3;

  /** Words of four bytes in the header; the length has two of them. */
  enum Word {
    MARK,
    WORD_NATOMS,
    WORD_NGIVEN,
    WORD_NOWNED,
    WORD_NNAMED = 7,
    WORD_NSEAM,
    LENGTH = 16,
    NWORDS = 18
  };

  const Donor<std::int64_t> donor{20, 1};
  Content content = random_content(20, {NGIVEN, NOWNED - NGIVEN, NATOMS - NOWNED}, 1);
  std::vector<char> sound, message;

  DamagedRegionTransfer()
  {
    content.nseam = NSEAM - NGIVEN;
    content.nnamed = NNAMED;
    content.write(donor, sound);
    message = sound;
  }

  /** Error of a message in memory that ends where the message does; "" if it is accepted. */
  static std::string error(const std::vector<char> &damaged, std::size_t begin = 0)
  {
    const std::vector<char> part(damaged.begin(), damaged.end());
    std::size_t cursor = begin;
    return message_of([&] { ReceivedRegion().read(part.data(), part.size(), cursor); });
  }

  template <class T> void set(Word word, T value)
  {
    std::memcpy(message.data() + 4 * word, &value, sizeof value);
  }

  std::string error_with(int natoms, int ngiven, int nowned)
  {
    message = sound;
    set(WORD_NATOMS, natoms);
    set(WORD_NGIVEN, ngiven);
    set(WORD_NOWNED, nowned);
    return error(message);
  }
};

TEST_F(DamagedRegionTransfer, IsRefusedIfItsEndIsMissing)
{
  EXPECT_EQ(error(sound), "");
  for (std::size_t n = 0; n < sound.size(); n++)
    EXPECT_NE(error({sound.begin(), sound.begin() + n}), "") << n << " bytes";
}

TEST_F(DamagedRegionTransfer, IsRefusedBehindASoundOneIfItsEndIsMissing)
{
  std::vector<char> two = sound;
  content.write(donor, two);
  EXPECT_EQ(error(two, sound.size()), "");
  for (std::size_t n = sound.size(); n < two.size(); n++) {
    const std::vector<char> part(two.begin(), two.begin() + n);
    EXPECT_EQ(error(part), "");
    EXPECT_NE(error(part, sound.size()), "") << n << " bytes";
  }
}

TEST_F(DamagedRegionTransfer, IsRefusedIfItBeginsWithAnotherMark)
{
  for (int bit = 0; bit < 32; bit++) {
    message = sound;
    message[4 * MARK + bit / 8] ^= static_cast<char>(1 << bit % 8);
    EXPECT_NE(error(message), "") << "bit " << bit;
  }
}

TEST_F(DamagedRegionTransfer, IsRefusedIfItBeginsElsewhere)
{
  for (std::size_t begin = 8; begin < sound.size(); begin += 8)
    EXPECT_NE(error(sound, begin), "") << begin;
}

TEST_F(DamagedRegionTransfer, IsRefusedIfANumberIsNegative)
{
  for (int number : {-1, -2, -1000000, std::numeric_limits<int>::min()}) {
    EXPECT_NE(error_with(number, NGIVEN, NOWNED), "") << number;
    EXPECT_NE(error_with(NATOMS, number, NOWNED), "") << number;
    EXPECT_NE(error_with(NATOMS, NGIVEN, number), "") << number;
    EXPECT_NE(error_with(NATOMS, number, number), "") << number;
    EXPECT_NE(error_with(number, number, number), "") << number;
  }
}

TEST_F(DamagedRegionTransfer, IsRefusedIfNumbersAreInconsistent)
{
  const int most = std::numeric_limits<int>::max();
  EXPECT_EQ(error_with(NATOMS, NGIVEN, NOWNED), "");
  EXPECT_NE(error_with(NATOMS, NOWNED + 1, NOWNED), "");    // more handed over than owned
  EXPECT_NE(error_with(NATOMS, most, NOWNED), "");
  EXPECT_NE(error_with(NATOMS, NGIVEN, NGIVEN - 1), "");
  EXPECT_NE(error_with(NATOMS, NGIVEN, NATOMS + 1), "");    // more owned than there are atoms
  EXPECT_NE(error_with(NATOMS, NGIVEN, most), "");
  EXPECT_NE(error_with(NATOMS, most, most), "");
  EXPECT_NE(error_with(NOWNED - 1, NGIVEN, NOWNED), "");
}

TEST_F(DamagedRegionTransfer, IsRefusedIfTheSeamOrNamedAtomsAreNotAmongItsAtoms)
{
  const int least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
  for (int wrong : {least, -1, NGIVEN - 1, NOWNED + 1, NATOMS, most}) {
    message = sound;
    set(WORD_NSEAM, wrong);
    EXPECT_NE(error(message), "") << wrong;
  }
  for (int wrong : {least, -1, 0, NNAMED - 1, NNAMED + 1, NATOMS, NATOMS + 1, most}) {
    message = sound;
    set(WORD_NNAMED, wrong);
    EXPECT_NE(error(message), "") << wrong;
  }
}

TEST_F(DamagedRegionTransfer, IsRefusedIfThereAreMoreOrFewerAtomsThanItSays)
{
  for (int natoms : {NOWNED, NATOMS - 1, NATOMS + 1, NATOMS + 2, 1 << 20, 89478486 /* 2^32/48 */,
                     std::numeric_limits<int>::max()})
    EXPECT_NE(error_with(natoms, NGIVEN, NOWNED), "") << natoms;
  EXPECT_NE(error_with(0, 0, 0), "");
}

TEST_F(DamagedRegionTransfer, IsRefusedIfItsLengthIsWrong)
{
  const std::int64_t length = static_cast<std::int64_t>(sound.size());
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> lengths{
      most, most - 7, -most - 1, -length, std::int64_t{1} << 32, (std::int64_t{1} << 32) + length};
  for (std::int64_t wrong = -64; wrong < length + 200; wrong++)
    if (wrong != length) lengths.push_back(wrong);
  for (std::size_t nmore : {0, 4, 8, 48, 256})    // bytes behind the message
    for (std::int64_t wrong : lengths) {
      message = sound;
      message.resize(sound.size() + nmore);
      EXPECT_EQ(error(message), "");
      set(LENGTH, wrong);
      EXPECT_NE(error(message), "") << wrong << " for " << length << " and " << nmore << " more";
    }
}

TEST_F(DamagedRegionTransfer, IsRefusedIfItHasSomethingBehindItsAtoms)
{
  message.resize(sound.size() + 8);
  set(LENGTH, static_cast<std::int64_t>(message.size()));
  EXPECT_NE(error(message), "");
}

TEST_F(DamagedRegionTransfer, IsRefusedOrHasTheNumbersThatItSays)
{
  std::mt19937 random(1);
  int ntaken = 0;
  for (int trial = 0; trial < 5000; trial++) {
    message = sound;
    for (int n = 0; n < 2; n++) {
      const std::size_t end = n == 0 ? 4 * NWORDS : sound.size();
      message[random() % end] ^= static_cast<char>(1 << random() % 8);
    }
    std::size_t cursor = 0;
    ReceivedRegion region;
    try {
      region.read(message.data(), message.size(), cursor);
    } catch (const std::runtime_error &) {
      continue;
    }
    ntaken++;
    ASSERT_EQ(cursor, message.size());
    ASSERT_LE(0, region.ngiven());
    ASSERT_LE(region.ngiven(), region.nowned());
    ASSERT_LE(region.nowned(), region.natoms());
    ASSERT_EQ(region.natoms(), NATOMS);
  }
  EXPECT_GT(ntaken, 500);
}

TEST_F(DamagedRegionTransfer, IsDescribed)
{
  const std::string text = error_with(NATOMS, 6, NOWNED);
  expect_words(text, {"has 9 atoms, 5 of the donor, 6 given", "the message is damaged"});
}

/* ---------------------------------------------------------------------- */

template <class Tag> class PairBelongsTo : public testing::Test {
 protected:
  static constexpr Tag MOST = std::numeric_limits<Tag>::max();
  std::mt19937_64 random{1};

  /** The least and the greatest tags, some in between, and their neighbors. */
  static std::vector<Tag> extreme_tags()
  {
    std::vector<Tag> tags;
    for (std::int64_t middle :
         {std::int64_t{3}, std::int64_t{1} << 16, std::int64_t{1} << 30,
          std::int64_t{std::numeric_limits<std::int32_t>::max()}, std::int64_t{1} << 40,
          std::int64_t{1} << 62, std::numeric_limits<std::int64_t>::max()})
      for (int n = -2; n <= 2; n++) {
        if (n > 0 && middle == std::numeric_limits<std::int64_t>::max()) break;
        if (middle + n <= MOST) tags.push_back(static_cast<Tag>(middle + n));
      }
    return tags;
  }

  int number_of_own(Tag owner, const std::vector<Tag> &others) const
  {
    return static_cast<int>(std::count_if(
        others.begin(), others.end(), [&](Tag other) { return pair_belongs_to(owner, other); }));
  }
};

TYPED_TEST_SUITE(PairBelongsTo, Tags);

TYPED_TEST(PairBelongsTo, OneOfTwo)
{
  using Tag = TypeParam;
  for (int n = 0; n < 100000; n++) {
    const Tag a = random_tag<Tag>(this->random), b = random_tag<Tag>(this->random);
    if (a == b) continue;
    ASSERT_NE(pair_belongs_to(a, b), pair_belongs_to(b, a)) << a << " " << b;
  }
  for (Tag a = 1; a < 100; a++)
    for (Tag b = 1; b < a; b++) ASSERT_NE(pair_belongs_to(a, b), pair_belongs_to(b, a));
}

TYPED_TEST(PairBelongsTo, OneOfTwoExtremeOnes)
{
  using Tag = TypeParam;
  const std::vector<Tag> tags = this->extreme_tags();
  ASSERT_EQ(*std::min_element(tags.begin(), tags.end()), 1);
  ASSERT_EQ(*std::max_element(tags.begin(), tags.end()), this->MOST);
  for (Tag a : tags)
    for (Tag b : tags) {
      if (a == b) continue;
      EXPECT_NE(pair_belongs_to(a, b), pair_belongs_to(b, a)) << a << " " << b;
    }
}

TYPED_TEST(PairBelongsTo, EachAtomForAboutHalfOfItsPairs)
{
  using Tag = TypeParam;
  static constexpr int N = 1000;
  std::vector<Tag> owners = this->extreme_tags();
  for (int n = 0; n < 50; n++) owners.push_back(random_tag<Tag>(this->random));
  for (Tag owner : owners) {
    const auto expect_half = [&](const std::vector<Tag> &others) {
      ASSERT_EQ(others.size(), static_cast<std::size_t>(N));
      const int nown = this->number_of_own(owner, others);
      EXPECT_GT(nown, 4 * N / 10) << owner;
      EXPECT_LT(nown, 6 * N / 10) << owner;
    };
    std::vector<Tag> others;
    while (others.size() < N) {
      const Tag other = random_tag<Tag>(this->random);
      if (other != owner) others.push_back(other);
    }
    expect_half(others);
    for (Tag step : {1, 3, 7}) {    // neighboring tags, and tags of the same atom of molecules
      for (int below : {0, N / 2, N}) {
        others.clear();
        for (int n = -below; n <= N - below; n++) {
          const bool exists = n > 0 ? owner <= this->MOST - n * step : owner > -n * step;
          if (n != 0 && exists) others.push_back(static_cast<Tag>(owner + n * step));
        }
        if (others.size() == N) expect_half(others);
      }
    }
  }
}

/* ---------------------------------------------------------------------- */

/** A half list whose rows a donor and its receivers make. */
template <class Tag> class SharedHalfList : public testing::Test {
 protected:
  static constexpr double CUT = 1.0;
  static constexpr int KEPT = 0;
  using Pair = std::pair<Tag, Tag>;

  int nowned_ = 0;
  std::vector<Tag> tag_;
  std::vector<double> x_;
  std::vector<int> maker_;          // [nowned] of the row: KEPT or a receiver
  std::vector<bool> seam_;          // [nowned]
  std::map<Pair, int> entries_;     // number of times that a pair is in the list
  std::size_t ngiven_pairs_ = 0;    // pairs in rows of receivers

  static bool is_near(const double *a, const double *b)
  {
    double sum = 0.0;
    for (int dim = 0; dim < 3; dim++) sum += (a[dim] - b[dim]) * (a[dim] - b[dim]);
    return sum <= CUT * CUT;
  }

  const double *x(int i) const { return &x_[3 * i]; }
  int natoms() const { return static_cast<int>(tag_.size()); }

  void make_atoms(int nowned, int nghosts, std::mt19937_64 &random)
  {
    std::uniform_real_distribution<double> coord(0.0, 1.0);
    nowned_ = nowned;
    tag_.clear();
    x_.clear();
    const Tag step = std::numeric_limits<Tag>::max() / (nowned + nghosts);
    for (int i = 0; i < nowned + nghosts; i++) {
      tag_.push_back(random() % 2 ? i + 1 : 1 + i * step);    // all different
      for (double length : {5.0, 4.0, 3.0}) x_.push_back(length * coord(random));
    }
    std::shuffle(tag_.begin(), tag_.end(), random);
  }

  /** Hand over some atoms to each receiver, chosen at random or by slabs. */
  void give(int nreceivers, bool slabs, std::mt19937_64 &random)
  {
    maker_.clear();
    seam_.clear();
    for (int i = 0; i < nowned_; i++) seam_.push_back(random() % 2);
    for (int i = 0; i < nowned_; i++)
      maker_.push_back(slabs ? static_cast<int>(x(i)[0] / 5.0 * (nreceivers + 1))
                             : static_cast<int>(random() % (nreceivers + 1)));
  }

  void count(Tag a, Tag b) { entries_[std::minmax(a, b)]++; }

  void make_kept_rows()
  {
    for (int i = 0; i < nowned_; i++)
      for (int j = 0; j < natoms(); j++) {
        if (maker_[i] != KEPT || i == j || !is_near(x(i), x(j))) continue;
        const bool own = j >= nowned_ || (maker_[j] == KEPT ? j > i : !seam_[i]);
        if (own) count(tag_[i], tag_[j]);
      }
  }

  void write(int receiver, std::vector<char> &message) const
  {
    std::vector<int> given;
    for (int i = 0; i < nowned_; i++)
      if (maker_[i] == receiver) given.push_back(i);
    TransferredRegion region{given.data(), static_cast<int>(given.size()), {}, 0, {}, 0};
    const auto add_near = [&](int begin, int end, auto &&wanted, std::vector<int> &to) {
      for (int i = begin; i < end; i++) {
        const bool near =
            std::any_of(given.begin(), given.end(), [&](int k) { return is_near(x(i), x(k)); });
        if (near && wanted(i)) to.push_back(i);
      }
    };
    add_near(
        0, nowned_, [&](int i) { return maker_[i] == KEPT && seam_[i]; }, region.owned);
    region.nseam = static_cast<int>(region.owned.size());
    add_near(
        0, nowned_, [&](int i) { return maker_[i] != KEPT && maker_[i] != receiver; },
        region.owned);
    add_near(
        nowned_, natoms(), [](int) { return true; }, region.ghosts);
    RegionWriter::write(DonorAtoms<Tag>{natoms(), tag_.data(), x_.data()}, {10.0, 0.0, -3.0},
                        {1, 0, -1}, region, source_of, message);
  }

  void make_received_rows(const ReceivedRegion &region)
  {
    const auto tag = [&](int k) {
      return static_cast<Tag>(region.table()[k].id);
    };
    for (int k = 0; k < region.ngiven(); k++)
      for (int m = 0; m < region.natoms(); m++) {
        if (k == m || !is_near(region.x() + 3 * k, region.x() + 3 * m)) continue;
        const bool own = m < region.ngiven() ? m > k
            : m < region.nseam()             ? true
            : m < region.nowned()            ? pair_belongs_to(tag(k), tag(m))
                                             : true;
        if (!own) continue;
        count(tag(k), tag(m));
        ngiven_pairs_++;
      }
  }

  void check() const
  {
    std::size_t npairs = 0;
    for (int i = 0; i < nowned_; i++)
      for (int j = i + 1; j < natoms(); j++) {
        if (!is_near(x(i), x(j))) continue;
        npairs++;
        const auto entry = entries_.find(std::minmax(tag_[i], tag_[j]));
        ASSERT_NE(entry, entries_.end()) << "no pair of " << i << " and " << j;
        ASSERT_EQ(entry->second, 1) << "pair of " << i << " and " << j;
      }
    ASSERT_EQ(entries_.size(), npairs);
  }
};

TYPED_TEST_SUITE(SharedHalfList, Tags);

TYPED_TEST(SharedHalfList, HasEachPairOnce)
{
  std::mt19937_64 random(1);
  for (int n = 0; n < 40; n++) {
    const int nreceivers = n % 4;
    this->make_atoms(150 + n, 5 * (n % 5), random);
    this->give(nreceivers, n % 3 == 0, random);
    this->entries_.clear();
    this->ngiven_pairs_ = 0;
    this->make_kept_rows();
    std::vector<char> message;
    for (int receiver = 1; receiver <= nreceivers; receiver++) this->write(receiver, message);
    ReceivedRegion region;
    for (std::size_t cursor = 0; cursor < message.size();) {
      region.read(message.data(), message.size(), cursor);
      this->make_received_rows(region);
    }
    this->check();
    if (this->HasFatalFailure()) return;
    EXPECT_EQ(this->ngiven_pairs_ > 0, nreceivers > 0);
  }
}

TEST(Seam, HasHalfOfThePairsAcrossAPlane)
{
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> coord(-1.0, 1.0);    // in cut-offs
  std::int64_t npairs = 0, nseam = 0;
  for (int n = 0; n < 2000000; n++) {
    const double kept[3] = {0.0, 0.0, 0.5 * (coord(random) + 1.0)};
    const double given[3] = {coord(random), coord(random), 0.5 * (coord(random) - 1.0)};
    const double dz = kept[2] - given[2];
    if (given[0] * given[0] + given[1] * given[1] + dz * dz > 1.0) continue;
    npairs++;
    nseam += kept[2] <= SEAM;
  }
  EXPECT_GT(npairs, 100000);
  EXPECT_NEAR(static_cast<double>(nseam) / static_cast<double>(npairs), 0.5, 0.01);
}

}    // namespace
