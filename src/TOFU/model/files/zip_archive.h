// SPDX-License-Identifier: GPL-2.0-only
//
// Members of a ZIP archive that are stored as they are, as those of PyTorch's files with numbers.
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT

#ifndef TOFU_MODEL_ZIP_ARCHIVE_H
#define TOFU_MODEL_ZIP_ARCHIVE_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace TOFU_NS {

class ZipArchive {
 public:
  /** The bytes of a file, which must stay as long as the archive.  Throws ModelError. */
  explicit ZipArchive(std::string_view file);

  /** Contents of a member.  Throws ModelError: there is none of this name, or it is compressed. */
  std::string_view member(const std::string &name) const;
  bool has(const std::string &name) const { return members_.count(name) > 0; }

  /** Name of the folder that all members of PyTorch's files are in. */
  std::string folder() const;

 private:
  struct Member {
    std::uint64_t begin, size;    // of its header, of its contents
    bool stored;
  };
  std::string_view file_;
  std::map<std::string, Member> members_;

  template <class T> T number(std::uint64_t at) const;
  std::uint64_t find_directory(std::uint64_t &nmembers) const;
  std::uint64_t read_member(std::uint64_t at);
};

}    // namespace TOFU_NS

#endif
