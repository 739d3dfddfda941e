// SPDX-License-Identifier: GPL-2.0-only
//
// Rows of random atoms in small periodic boxes, from donors to a receiver.  Each atom of each rank
// is known as the image of an atom, so that the entries of a row can be compared without positions.

#include "unit/errors.h"

#include "balance/transfer/atom_matcher.h"
#include "balance/transfer/row_transfer.h"

using namespace TOFU_NS;
using TOFU_TEST::expect_words;
using TOFU_TEST::message_of;

namespace {

AtomMatcher::Tables tables_of(const std::vector<ReceivedTransfer> &transfers)
{
  AtomMatcher::Tables tables;
  for (const ReceivedTransfer &transfer : transfers) tables.push_back(&transfer);
  return tables;
}

constexpr double TOLERANCE = 1e-3;
constexpr int ATOM = (1 << 29) - 1;    // bits of an entry with the atom

/** An atom, and its displacement in box lengths. */
struct Image {
  int atom;
  std::array<int, 3> box_shift;

  bool operator==(const Image &other) const
  {
    return atom == other.atom && box_shift == other.box_shift;
  }
  bool operator<(const Image &other) const
  {
    return std::tie(atom, box_shift) < std::tie(other.atom, other.box_shift);
  }
};

std::ostream &operator<<(std::ostream &out, const Image &image)
{
  return out << image.atom << " (" << image.box_shift[0] << "," << image.box_shift[1] << ","
             << image.box_shift[2] << ")";
}

Image displaced(const Image &image, const std::array<int, 3> &box_shift)
{
  Image moved = image;
  for (int dim = 0; dim < 3; dim++) moved.box_shift[dim] += box_shift[dim];
  return moved;
}

enum class Kind { FULL, HALF, SOME };

struct Shape {
  std::array<double, 3> length;
  std::array<int, 3> grid;    // grid of ranks
  double cut;
  int natoms;
};

struct World {
  Shape shape;
  std::vector<std::array<double, 3>> x;

  World(const Shape &s, unsigned seed) : shape(s), x(s.natoms)
  {
    std::mt19937 random(seed);
    for (auto &position : x)
      for (int dim = 0; dim < 3; dim++)
        position[dim] = (random() % 100000 + 0.5) / 100000.0 * shape.length[dim];
  }

  double coord(const Image &image, int dim) const
  {
    return x[image.atom][dim] + image.box_shift[dim] * shape.length[dim];
  }

  std::array<double, 3> shift(const std::array<int, 3> &box_shift) const
  {
    return {box_shift[0] * shape.length[0], box_shift[1] * shape.length[1],
            box_shift[2] * shape.length[2]};
  }
};

std::vector<std::array<int, 3>> all_box_shifts(int reach)
{
  std::vector<std::array<int, 3>> shifts;
  for (int z = -reach; z <= reach; z++)
    for (int y = -reach; y <= reach; y++)
      for (int x = -reach; x <= reach; x++) shifts.push_back({x, y, z});
  return shifts;
}

/** Atoms of a rank: owned atoms, then ghosts. */
template <class Tag> struct Rank {
  int nlocal = 0;
  std::vector<Image> images;
  std::vector<Tag> tag;
  std::vector<double> x;

  static Tag tag_of(int atom)
  {
    return static_cast<Tag>((std::int64_t{sizeof(Tag) / 8} << 40) + 7 * atom + 1);
  }

  void add(const World &world, const Image &image)
  {
    images.push_back(image);
    tag.push_back(tag_of(image.atom));
    for (int dim = 0; dim < 3; dim++) x.push_back(world.coord(image, dim));
  }

  Rank() = default;

  Rank(const World &world, const std::array<int, 3> &place)
  {
    const Shape &s = world.shape;
    const auto near = [&](const Image &image, double cut) {
      for (int dim = 0; dim < 3; dim++) {
        const double width = s.length[dim] / s.grid[dim], lo = place[dim] * width;
        const double x = world.coord(image, dim);
        if (x < lo - cut || x >= lo + width + cut) return false;
      }
      return true;
    };
    for (int atom = 0; atom < s.natoms; atom++)
      if (near({atom, {0, 0, 0}}, 0.0)) add(world, {atom, {0, 0, 0}});
    nlocal = static_cast<int>(images.size());
    for (const auto &box_shift : all_box_shifts(3))
      for (int atom = 0; atom < s.natoms; atom++)
        if (near({atom, box_shift}, s.cut) &&
            !(box_shift == std::array<int, 3>{} && near({atom, box_shift}, 0.0)))
          add(world, {atom, box_shift});
  }

  int natoms() const { return static_cast<int>(tag.size()); }
  DonorAtoms<Tag> atoms() const { return {natoms(), tag.data(), x.data()}; }
};

/** A neighbor list with random bits of special bonds; rows of owned atoms. */
struct Lists {
  std::vector<std::vector<int>> rows;
  std::vector<const int *> first;
  std::vector<int> numneigh;

  template <class Tag> Lists(const Rank<Tag> &rank, Kind kind, double cut, unsigned seed)
  {
    std::mt19937 random(seed);
    rows.resize(rank.natoms());
    for (int i = 0; i < rank.nlocal; i++)
      for (int j = 0; j < rank.natoms(); j++) {
        double sum = 0.0;
        for (int dim = 0; dim < 3; dim++)
          sum += std::pow(rank.x[3 * i + dim] - rank.x[3 * j + dim], 2);
        const bool taken = kind == Kind::FULL || (kind == Kind::HALF ? i < j : random() % 5 == 0);
        if (i != j && sum < cut * cut && taken)
          rows[i].push_back(static_cast<int>(static_cast<unsigned>(j) | random() % 8 << 29));
      }
    for (const auto &row : rows) {
      first.push_back(row.data());
      numneigh.push_back(static_cast<int>(row.size()));
    }
  }

  Lists(const Lists &) = delete;    // `first` points to the rows
  Lists(Lists &&) = default;

  DonorRows give(std::vector<int> atoms) const
  {
    return {std::move(atoms), first.data(), numneigh.data()};
  }
};

const auto nothing_known = [](int, const AtomSource &) {
  return AtomMatcher::UNKNOWN;
};

/** A donor: the rows that it hands over, and the message of the transfer. */
template <class Tag> struct Donor {
  Rank<Tag> rank;
  std::array<int, 3> box_shift;
  std::vector<Lists> lists;
  std::vector<DonorRows> given;

  void write(const World &world, int me, TransferWriter &writer, std::vector<char> &message) const
  {
    writer.write(
        rank.atoms(), world.shift(box_shift), box_shift, given,
        [me](int atom) {
          return AtomSource{me, -atom, atom};
        },
        message);
  }
};

std::vector<ReceivedTransfer> read_all(const std::vector<char> &message)
{
  std::vector<ReceivedTransfer> transfers;
  std::size_t cursor = 0;
  while (cursor < message.size()) {
    transfers.emplace_back();
    transfers.back().read(message.data(), message.size(), cursor);
  }
  return transfers;
}

/* ---------------------------------------------------------------------- */

class RowsOf : public testing::TestWithParam<Shape> {
 protected:
  const World world{GetParam(), 1};
  std::mt19937 random{2};

  std::array<int, 3> random_place()
  {
    const auto &grid = world.shape.grid;
    return {static_cast<int>(random() % grid[0]), static_cast<int>(random() % grid[1]),
            static_cast<int>(random() % grid[2])};
  }

  std::array<int, 3> random_boxes()
  {
    return {static_cast<int>(random() % 3) - 1, static_cast<int>(random() % 3) - 1,
            static_cast<int>(random() % 3) - 1};
  }

  /** A donor that hands over a third of its owned atoms, with a list of each kind. */
  template <class Tag> Donor<Tag> random_donor()
  {
    Donor<Tag> donor{Rank<Tag>(world, random_place()), random_boxes(), {}, {}};
    for (Kind kind : {Kind::FULL, Kind::HALF, Kind::SOME})
      donor.lists.emplace_back(donor.rank, kind, world.shape.cut, random());
    for (const Lists &lists : donor.lists) {
      std::vector<int> atoms;
      for (int i = 0; i < donor.rank.nlocal; i++)
        if (random() % 3 == 0) atoms.push_back(i);
      donor.given.push_back(lists.give(atoms));
    }
    return donor;
  }

  template <class Tag> void check_rows();
};

/** The receiver's atoms, followed by the atoms that it lacks. */
template <class Tag>
std::vector<Image> with_wanted(const World &world, const Rank<Tag> &receiver,
                               const std::vector<Donor<Tag>> &donors,
                               const std::vector<MissingAtom> &wanted)
{
  std::vector<Image> images = receiver.images;
  std::set<Image> known(images.begin(), images.end());
  EXPECT_EQ(known.size(), images.size());
  for (const MissingAtom &atom : wanted) {
    const AtomSource &source = atom.atom.source;
    EXPECT_EQ(source.rank, atom.transfer);
    EXPECT_EQ(source.code, -source.place);
    EXPECT_EQ(atom.box_shift, donors[source.rank].box_shift);
    images.push_back(displaced(donors[source.rank].rank.images[source.place], atom.box_shift));
    EXPECT_TRUE(known.insert(images.back()).second) << images.back();
    EXPECT_EQ(atom.atom.id, Rank<Tag>::tag_of(images.back().atom));
    for (int dim = 0; dim < 3; dim++)
      EXPECT_NEAR(atom.atom.x[dim], world.coord(images.back(), dim), 1e-5);
  }
  return images;
}

template <class Tag>
void check_transfer(const Donor<Tag> &donor, ReceivedTransfer &transfer,
                    const std::vector<Image> &images)
{
  const auto there = [&](int i) {
    return displaced(donor.rank.images[i], donor.box_shift);
  };
  EXPECT_EQ(transfer.box_shift(), donor.box_shift);
  ASSERT_EQ(transfer.nlists(), static_cast<int>(donor.given.size()));
  for (int l = 0; l < transfer.nlists(); l++) {
    const DonorRows &given = donor.given[l];
    const ReceivedRows rows = transfer.rows(l);
    ASSERT_EQ(rows.nrows, static_cast<int>(given.atoms.size()));
    const int *entry = rows.entries;
    for (int n = 0; n < rows.nrows; n++) {
      const int i = given.atoms[n];
      ASSERT_EQ(images[rows.atoms[n]], there(i));
      ASSERT_EQ(rows.numneigh[n], given.numneigh[i]);
      for (int k = 0; k < given.numneigh[i]; k++, entry++) {
        ASSERT_EQ(images[*entry & ATOM], there(given.first[i][k] & ATOM));
        ASSERT_EQ(*entry & ~ATOM, given.first[i][k] & ~ATOM);
      }
    }
  }
}

template <class Tag> void RowsOf::check_rows()
{
  TransferWriter writer;
  AtomMatcher matcher;
  std::vector<std::vector<int>> local;
  for (int trial = 0; trial < 5; trial++) {
    const Rank<Tag> receiver(world, random_place());
    std::vector<Donor<Tag>> donors;
    for (int n = 0; n < 3; n++) donors.push_back(random_donor<Tag>());
    std::vector<char> message;
    for (int n = 0; n < 3; n++) donors[n].write(world, n, writer, message);
    std::vector<ReceivedTransfer> transfers = read_all(message);
    ASSERT_EQ(transfers.size(), donors.size());

    matcher.match(tables_of(transfers), receiver.natoms(), receiver.tag.data(), receiver.x.data(),
                  TOLERANCE, nothing_known, 0, local);
    const std::vector<Image> images = with_wanted(world, receiver, donors, matcher.missing());
    std::vector<int> ghost;
    for (std::size_t w = 0; w < matcher.missing().size(); w++)
      ghost.push_back(receiver.natoms() + static_cast<int>(w));
    AtomMatcher::set_missing(ghost, local);
    for (int n = 0; n < 3; n++) {
      transfers[n].make_rows(local[n]);
      check_transfer(donors[n], transfers[n], images);
    }
  }
}

TEST_P(RowsOf, TheReceiverNameTheAtomsThatTheDonorMeans)
{
  check_rows<std::int32_t>();
}

TEST_P(RowsOf, TheReceiverNameTheAtomsThatTheDonorMeansBeyond2To40)
{
  ASSERT_GT(Rank<std::int64_t>::tag_of(0), std::int64_t{1} << 40);
  check_rows<std::int64_t>();
}

TEST_P(RowsOf, ATransferNameEachAtomOfItsTableWhichAscends)
{
  const Donor<int> donor = random_donor<int>();
  std::set<int> expected;
  for (const DonorRows &given : donor.given)
    for (int i : given.atoms) {
      expected.insert(i);
      for (int k = 0; k < given.numneigh[i]; k++) expected.insert(given.first[i][k] & ATOM);
    }
  TransferWriter writer;
  std::vector<char> message;
  donor.write(world, 0, writer, message);
  std::vector<int> table;
  const std::vector<ReceivedTransfer> transfers = read_all(message);
  for (const TableAtom &atom : transfers[0].table()) table.push_back(atom.source.place);
  EXPECT_EQ(table, std::vector<int>(expected.begin(), expected.end()));
}

TEST_P(RowsOf, ATransferDoNotDependOnTransfersBefore)
{
  TransferWriter writer;
  std::vector<char> message;
  random_donor<int>().write(world, 0, writer, message);
  const std::size_t begin = message.size();
  EXPECT_EQ(begin % 8, 0u);
  const Donor<int> donor = random_donor<int>();
  donor.write(world, 0, writer, message);
  TransferWriter another;
  std::vector<char> alone;
  donor.write(world, 0, another, alone);
  EXPECT_EQ(std::vector<char>(message.begin() + begin, message.end()), alone);
}

// in the last boxes neighbors of an atom are its own images, or several images of the same atom

INSTANTIATE_TEST_SUITE_P(Shapes, RowsOf,
                         testing::Values(Shape{{9.0, 8.0, 7.0}, {2, 2, 2}, 1.5, 300},
                                         Shape{{12.0, 4.0, 4.0}, {4, 1, 1}, 1.9, 150},
                                         Shape{{6.0, 3.0, 3.5}, {3, 1, 1}, 2.5, 60},
                                         Shape{{2.0, 2.5, 3.0}, {2, 1, 1}, 2.6, 20},
                                         Shape{{2.0, 2.0, 2.0}, {1, 1, 1}, 2.1, 8}));

/* ---------------------------------------------------------------------- */

/** A few atoms in a row along x, in a box of length 10. */
struct FewAtoms {
  std::vector<int> tag;
  std::vector<double> x;

  /** \param atoms   IDs and places */
  FewAtoms(std::initializer_list<std::pair<int, double>> atoms = {})
  {
    for (const auto &[id, coord] : atoms) add(id, coord);
  }

  void add(int id, double coord)
  {
    tag.push_back(id);
    x.insert(x.end(), {coord, 1.0, 2.0});
  }

  /** The transfer of these atoms; entries of rows are given by atom. */
  std::vector<char> transfer(const std::vector<std::vector<int>> &rows, int me = 0) const
  {
    std::vector<const int *> first;
    std::vector<int> numneigh, atoms;
    for (const auto &row : rows) {
      atoms.push_back(static_cast<int>(first.size()));
      first.push_back(row.data());
      numneigh.push_back(static_cast<int>(row.size()));
    }
    TransferWriter writer;
    std::vector<char> message;
    writer.write(
        DonorAtoms<int>{static_cast<int>(tag.size()), tag.data(), x.data()}, {0.0, 0.0, 0.0},
        {0, 0, 0}, {{atoms, first.data(), numneigh.data()}},
        [me](int atom) {
          return AtomSource{me, 0, atom};
        },
        message);
    return message;
  }

  std::vector<std::vector<int>> match(const std::vector<ReceivedTransfer> &transfers,
                                      AtomMatcher &matcher) const
  {
    return match(transfers, matcher, nothing_known, 0);
  }

  template <class Known>
  std::vector<std::vector<int>> match(const std::vector<ReceivedTransfer> &transfers,
                                      AtomMatcher &matcher, Known &&known, int nextra) const
  {
    std::vector<std::vector<int>> local;
    matcher.match(tables_of(transfers), static_cast<int>(tag.size()), tag.data(), x.data(),
                  TOLERANCE, known, nextra, local);
    return local;
  }
};

std::vector<char> both(std::vector<char> message, const std::vector<char> &other)
{
  message.insert(message.end(), other.begin(), other.end());
  return message;
}

const FewAtoms THREE{{1, 1.0}, {2, 2.0}, {3, 3.0}};

TEST(RowTransfer, TellsAnAtomFromItsOwnImageInItsRow)
{
  const FewAtoms donor{{5, 1.0}, {5, 11.0}}, receiver{{5, 11.0}, {5, 1.0}};
  std::vector<ReceivedTransfer> transfers = read_all(donor.transfer({{1}}));
  AtomMatcher matcher;
  const auto local = receiver.match(transfers, matcher);
  EXPECT_EQ(local[0], (std::vector<int>{1, 0}));
  transfers[0].make_rows(local[0]);
  EXPECT_EQ(transfers[0].rows(0).atoms[0], 1);
  EXPECT_EQ(transfers[0].rows(0).entries[0], 0);
}

TEST(RowTransfer, WantsTheImageThatIsLackingOnly)
{
  const FewAtoms donor{{5, 1.0}, {5, 11.0}}, receiver{{5, 1.0}};
  AtomMatcher matcher;
  const auto local = receiver.match(read_all(donor.transfer({{1}})), matcher);
  EXPECT_EQ(local[0], (std::vector<int>{0, ~0}));
  ASSERT_EQ(matcher.missing().size(), 1u);
  EXPECT_EQ(matcher.missing()[0].atom.x[0], 11.0F);
}

TEST(RowTransfer, MatchesPositionsWithinTheToleranceOnly)
{
  const FewAtoms donor{{1, 1.0}, {2, 2.0}, {3, 3.0}, {4, 4.0}},
      receiver{{1, 1.0 + 0.9 * TOLERANCE},
               {2, 2.0 - 0.9 * TOLERANCE},
               {3, 3.0 + 1.1 * TOLERANCE},
               {4, 4.0 - 1.1 * TOLERANCE}};
  AtomMatcher matcher;
  const auto local = receiver.match(read_all(donor.transfer({{1, 2, 3}})), matcher);
  EXPECT_EQ(local[0], (std::vector<int>{0, 1, ~0, ~1}));
}

TEST(RowTransfer, WantsAnAtomOfTwoTransfersOnceFromTheFirst)
{
  // atom 8 is rounded in another frame; atom 7 is another image

  const FewAtoms one{{1, 1.0}, {7, 3.0}, {8, 4.0}},
      other{{2, 2.0}, {9, 5.0}, {8, 4.0 + 1e-7}, {7, 13.0}}, receiver{{1, 1.0}, {2, 2.0}};
  const std::vector<char> message =
      both(one.transfer({{1, 2}}, 10), other.transfer({{1, 2, 3}}, 20));

  AtomMatcher matcher;
  const auto local = receiver.match(read_all(message), matcher);
  EXPECT_EQ(local[0], (std::vector<int>{0, ~0, ~1}));
  EXPECT_EQ(local[1], (std::vector<int>{1, ~2, ~1, ~3}));
  std::vector<int> ids, ranks, transfers;
  for (const MissingAtom &wanted : matcher.missing()) {
    ids.push_back(static_cast<int>(wanted.atom.id));
    ranks.push_back(wanted.atom.source.rank);
    transfers.push_back(wanted.transfer);
  }
  EXPECT_EQ(ids, (std::vector<int>{7, 8, 9, 7}));
  EXPECT_EQ(ranks, (std::vector<int>{10, 10, 20, 20}));
  EXPECT_EQ(transfers, (std::vector<int>{0, 0, 1, 1}));
}

TEST(RowTransfer, DoesNotWantWhatComesWithAnyTransfer)
{
  const FewAtoms one{{1, 1.0}, {7, 7.0}, {8, 8.0}}, other{{2, 2.0}, {8, 8.0}, {7, 7.0}, {9, 9.0}},
      receiver{{1, 1.0}, {2, 2.0}};
  const std::vector<char> message =
      both(one.transfer({{1, 2}}, 10), other.transfer({{1, 2, 3}}, 20));

  const auto extra = [](int transfer,
                        const AtomSource &source) {    // 7 by the first, 8 by the second
    if (source.place != 1) return AtomMatcher::UNKNOWN;
    return transfer == 0 ? ~0 : ~1;
  };
  AtomMatcher matcher;
  auto local = receiver.match(read_all(message), matcher, extra, 2);
  EXPECT_EQ(local[0], (std::vector<int>{0, ~0, ~1}));
  EXPECT_EQ(local[1], (std::vector<int>{1, ~1, ~0, ~2}));
  ASSERT_EQ(matcher.missing().size(), 1u);
  EXPECT_EQ(matcher.missing()[0].atom.id, 9);
  AtomMatcher::set_missing({5, 6, 7}, local);
  EXPECT_EQ(local[0], (std::vector<int>{0, 5, 6}));
  EXPECT_EQ(local[1], (std::vector<int>{1, 6, 5, 7}));
}

TEST(RowTransfer, BelievesWhatIsKnownOfItsAtoms)
{
  const FewAtoms donor{{1, 1.0}, {7, 7.0}, {8, 8.0}},
      receiver{{8, 13.0}, {7, 12.0}};    // at other positions
  const std::vector<ReceivedTransfer> transfers = read_all(donor.transfer({{1, 2}}));
  AtomMatcher matcher;
  const auto all = [](int, const AtomSource &source) {
    return source.place == 0 ? ~0 : source.place;
  };
  EXPECT_EQ(receiver.match(transfers, matcher, all, 1)[0], (std::vector<int>{~0, 1, 2}));
  EXPECT_TRUE(matcher.missing().empty());
  const auto some = [](int, const AtomSource &source) {
    return source.place == 0 ? AtomMatcher::UNKNOWN : source.place;
  };
  EXPECT_EQ(receiver.match(transfers, matcher, some, 0)[0], (std::vector<int>{~0, 1, 2}));
  EXPECT_EQ(matcher.missing().size(), 1u);
}

TEST(RowTransfer, FindsAnAtomOfTheReceiverForTwoTransfers)
{
  const FewAtoms donor{{3, 1.0}};
  const std::vector<char> message = donor.transfer({{}});
  AtomMatcher matcher;
  EXPECT_EQ(donor.match(read_all(both(message, message)), matcher),
            (std::vector<std::vector<int>>{{0}, {0}}));
  EXPECT_TRUE(matcher.missing().empty());
}

TEST(RowTransfer, TakesTheFirstOfReceiversAtomsAtTheSamePlace)
{
  const FewAtoms donor{{3, 1.0}}, receiver{{4, 1.0}, {3, 1.0}, {3, 1.0}};
  AtomMatcher matcher;
  EXPECT_EQ(receiver.match(read_all(donor.transfer({{}})), matcher)[0], std::vector<int>{1});
}

TEST(RowTransfer, TellsAtomsAtTheSamePlaceByTheirIDs)
{
  FewAtoms donor, receiver;
  std::vector<int> row, expected;
  for (int n = 0; n < 300; n++) {
    donor.add(1 + n * n, 1.0);    // some IDs have the same hash value
    receiver.add(1 + (299 - n) * (299 - n), 1.0);
    if (n > 0) row.push_back(n);
    expected.push_back(299 - n);
  }
  AtomMatcher matcher;
  EXPECT_EQ(receiver.match(read_all(donor.transfer({row})), matcher)[0], expected);
}

TEST(RowTransfer, KeepsEmptyRows)
{
  std::vector<ReceivedTransfer> transfers = read_all(THREE.transfer({{}, {2}, {}}));
  transfers[0].make_rows({10, 11, 12});
  const ReceivedRows rows = transfers[0].rows(0);
  EXPECT_EQ(std::vector<int>(rows.atoms, rows.atoms + 3), (std::vector<int>{10, 11, 12}));
  EXPECT_EQ(std::vector<int>(rows.numneigh, rows.numneigh + 3), (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(rows.entries[0], 12);
}

TEST(RowTransfer, MayBeEmpty)
{
  FewAtoms atoms;
  std::vector<char> message = atoms.transfer({});
  TransferWriter writer;
  writer.write(
      DonorAtoms<int>{}, {}, {1, 0, -1}, {}, [](int) { return AtomSource{}; }, message);
  std::vector<ReceivedTransfer> transfers = read_all(message);
  ASSERT_EQ(transfers.size(), 2u);
  EXPECT_EQ(transfers[0].nlists(), 1);
  EXPECT_EQ(transfers[1].nlists(), 0);
  EXPECT_EQ(transfers[1].box_shift(), (std::array<int, 3>{1, 0, -1}));
  AtomMatcher matcher;
  const auto local = atoms.match(transfers, matcher);
  EXPECT_EQ(local, std::vector<std::vector<int>>(2));
  transfers[0].make_rows(local[0]);
  EXPECT_EQ(transfers[0].rows(0).nrows, 0);
}

TEST(RowTransfer, MayBeMissing)
{
  const FewAtoms receiver{{1, 1.0}};
  AtomMatcher matcher;
  EXPECT_TRUE(receiver.match(read_all({}), matcher).empty());
  EXPECT_TRUE(matcher.missing().empty());
}

TEST(RowTransfer, LeavesNothingInItsReaderForTheNext)
{
  const std::vector<char> large = THREE.transfer({{1, 2}, {0}, {0, 1}}),
                          small = THREE.transfer({{2}});
  ReceivedTransfer transfer;
  std::size_t cursor = 0;
  transfer.read(large.data(), large.size(), cursor);
  cursor = 0;
  transfer.read(small.data(), small.size(), cursor);
  transfer.make_rows({4, 5});
  EXPECT_EQ(transfer.table().size(), 2u);
  EXPECT_EQ(transfer.nlists(), 1);
  EXPECT_EQ(transfer.rows(0).nrows, 1);
  EXPECT_EQ(transfer.rows(0).entries[0], 5);
}

/* ---------------------------------------------------------------------- */

class DamagedTransfer : public testing::Test {
 protected:
  static constexpr std::size_t NATOMS = 3, NROWS = 3, NENTRIES = 5;
  std::vector<char> message = THREE.transfer({{1, 2}, {0}, {0, 1}});

  /** Error of the first n bytes, in memory that ends there; "" if they are accepted. */
  std::string error(std::size_t n) const
  {
    const std::vector<char> part(message.begin(), message.begin() + n);
    std::size_t cursor = 0;
    return message_of([&] { ReceivedTransfer().read(part.data(), n, cursor); });
  }

  std::string error_with(std::size_t word, std::int32_t value)
  {
    std::int32_t before;
    std::memcpy(&before, message.data() + 4 * word, 4);
    std::memcpy(message.data() + 4 * word, &value, 4);
    const std::string text = error(message.size());
    std::memcpy(message.data() + 4 * word, &before, 4);
    return text;
  }

  static constexpr std::size_t LIST = 8 + 8 * NATOMS;    // word where the list begins
};

TEST_F(DamagedTransfer, IsRefusedIfItsEndIsMissing)
{
  EXPECT_EQ(error(message.size()), "");
  for (std::size_t n = 0; n < message.size(); n++) EXPECT_NE(error(n), "") << n << " bytes";
}

TEST_F(DamagedTransfer, IsRefusedIfANumberDoesNotFit)
{
  std::vector<std::size_t> words{0, 1, 2, 6, 7};    // of the header, without box_shift
  for (std::size_t n = 0; n < 2 + 2 * NROWS + NENTRIES; n++) words.push_back(LIST + n);
  for (std::size_t word : words)
    for (std::int32_t value : {-1, 1000000}) EXPECT_NE(error_with(word, value), "") << word;
}

TEST_F(DamagedTransfer, IsRefusedIfThereIsMoreThanItSays)
{
  EXPECT_NE(error_with(2, 0), "");                   // lists
  EXPECT_NE(error_with(1, 2), "");                   // atoms
  EXPECT_NE(error_with(LIST, 2), "");                // rows
  EXPECT_NE(error_with(LIST + 2 + NROWS, 1), "");    // entries in the first row
}

TEST_F(DamagedTransfer, IsRefusedIfALengthIsNegativeThoughTheSumIsRight)
{
  const std::int32_t lengths[] = {-1, 4};    // in place of 2, 1
  std::memcpy(message.data() + 4 * (LIST + 2 + NROWS), lengths, sizeof lengths);
  EXPECT_NE(error(message.size()), "");
}

TEST_F(DamagedTransfer, IsDescribed)
{
  const std::string text = error_with(LIST + 2, 17);
  expect_words(text, {"names atom 17 in a table of 3", "the message is damaged"});
}

TEST_F(DamagedTransfer, NeverNamesAtomsThatAreNotInItsTable)
{
  std::mt19937 random(1);
  const std::vector<char> sound = message;
  int ntaken = 0;
  for (int trial = 0; trial < 5000; trial++) {
    message = sound;
    for (int n = 0; n < 2; n++) message[random() % message.size()] ^= 1 << random() % 8;
    std::size_t cursor = 0;
    ReceivedTransfer transfer;
    try {
      transfer.read(message.data(), message.size(), cursor);
    } catch (const std::runtime_error &) {
      continue;
    }
    ntaken++;
    transfer.make_rows(std::vector<int>(transfer.table().size(), 1));
    for (int list = 0; list < transfer.nlists(); list++) {
      const ReceivedRows rows = transfer.rows(list);
      const int *entry = rows.entries;
      for (int n = 0; n < rows.nrows; n++)
        for (int k = 0; k < rows.numneigh[n]; k++) EXPECT_EQ(*entry++ & ATOM, 1);
    }
  }
  EXPECT_GT(ntaken, 500);
}

}    // namespace
