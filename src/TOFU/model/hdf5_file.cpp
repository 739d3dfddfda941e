// SPDX-License-Identifier: GPL-2.0-only

#include "hdf5_file.h"

#include "model_error.h"

#ifdef TOFU_HDF5

#include <hdf5.h>

#include <vector>

namespace TOFU_NS {

static constexpr int MOST_DIMENSIONS = 8;

[[noreturn]] static void damaged(const std::string &what)
{
  throw ModelError("the file in HDF5 is damaged: " + what);
}

namespace {

  /** An object of the library, closed at the end. */
  class Handle {
   public:
    Handle(hid_t id, herr_t (*close)(hid_t), const std::string &what) : id_(id), close_(close)
    {
      if (id < 0) damaged("it has no " + what);
    }
    ~Handle() { close_(id_); }
    Handle(const Handle &) = delete;
    Handle &operator=(const Handle &) = delete;
    operator hid_t() const { return id_; }

   private:
    const hid_t id_;
    herr_t (*const close_)(hid_t);
  };

  /** While it exists the library prints nothing: our callers say what is wrong. */
  class Silence {
   public:
    Silence()
    {
      H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
      H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    }
    ~Silence() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
    Silence(const Silence &) = delete;
    Silence &operator=(const Silence &) = delete;

   private:
    H5E_auto2_t function_ = nullptr;
    void *data_ = nullptr;
  };

}    // namespace

struct Hdf5File::Library {
  const std::size_t nbytes;
  const Silence silence;
  const Handle access, file;

  explicit Library(std::string_view bytes) :
      nbytes(bytes.size()), access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "properties"),
      file(open(access, bytes), H5Fclose, "valid header")
  {
  }

  /** The name is none of a file: with an image the library opens none. */
  static hid_t open(hid_t access, std::string_view bytes)
  {
    if (H5Pset_fapl_core(access, 65536, 0) < 0 ||
        H5Pset_file_image(access, const_cast<char *>(bytes.data()), bytes.size()) < 0)
      throw ModelError("libhdf5 has no memory for the file, or does not read files from memory");
    return H5Fopen("model in memory", H5F_ACC_RDONLY, access);
  }
};

Hdf5File::Hdf5File(std::string_view file) : library_(std::make_unique<Library>(file)) {}

Hdf5File::~Hdf5File() = default;

std::string Hdf5File::text(const std::string &name) const
{
  const std::string what = "text '" + name + "'";
  const Handle attribute(H5Aopen(library_->file, name.c_str(), H5P_DEFAULT), H5Aclose, what);
  const Handle type(H5Aget_type(attribute), H5Tclose, what);
  const Handle space(H5Aget_space(attribute), H5Sclose, what);
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1)
    damaged("'" + name + "' is no text");
  if (H5Tis_variable_str(type) > 0) {
    char *words = nullptr;
    if (H5Aread(attribute, type, &words) < 0 || !words) damaged("it has no " + what);
    const std::string result = words;
    H5free_memory(words);
    return result;
  }
  const std::size_t size = H5Tget_size(type);
  if (size == 0 || size > library_->nbytes) damaged("'" + name + "' is longer than the file");
  std::string result(size, '\0');
  if (H5Aread(attribute, type, result.data()) < 0) damaged("it has no " + what);
  return result.substr(0, result.find('\0'));
}

/** Numbers are in the file itself, one after the other. */
static void check_storage(hid_t data, const std::string &path)
{
  const Handle properties(H5Dget_create_plist(data), H5Pclose, "array '" + path + "'");
  const H5D_layout_t layout = H5Pget_layout(properties);
  if ((layout != H5D_CONTIGUOUS && layout != H5D_COMPACT) || H5Pget_nfilters(properties) != 0 ||
      H5Pget_external_count(properties) != 0)
    throw ModelError("its array '" + path +
                     "' is packed, or in pieces; deepmd-kit does not write such files");
}

Tensor Hdf5File::numbers(const std::string &path) const
{
  const std::string what = "array '" + path + "'";
  H5L_info_t link;
  if (path.size() < 2 || path[0] != '/' || path.find('/', 1) != std::string::npos ||
      H5Lget_info(library_->file, path.c_str(), &link, H5P_DEFAULT) < 0 ||
      link.type != H5L_TYPE_HARD)
    damaged("it has no " + what);
  const Handle data(H5Dopen2(library_->file, path.c_str(), H5P_DEFAULT), H5Dclose, what);
  const Handle type(H5Dget_type(data), H5Tclose, what);
  const Handle space(H5Dget_space(data), H5Sclose, what);
  check_storage(data, path);

  const H5T_class_t kind = H5Tget_class(type);
  const std::size_t size = H5Tget_size(type);
  if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || size < 1 || size > 8)
    damaged(what + " has no numbers");
  if (kind == H5T_FLOAT && size < 4) refuse_model("numbers in half precision");
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  const int ndims = H5Sget_simple_extent_ndims(space);
  if (count < 0 || static_cast<std::size_t>(count) > library_->nbytes / size || ndims < 0 ||
      ndims > MOST_DIMENSIONS || H5Dget_storage_size(data) < static_cast<hsize_t>(count) * size)
    damaged(what + " is larger than the file");

  Tensor result;
  std::vector<hsize_t> shape(MOST_DIMENSIONS, 0);
  if (H5Sget_simple_extent_dims(space, shape.data(), nullptr) != ndims)
    damaged("it has no " + what);
  for (int dim = 0; dim < ndims; dim++)
    result.shape.push_back(static_cast<std::int64_t>(shape[dim]));
  result.numbers.resize(static_cast<std::size_t>(count));
  result.single_precision = kind == H5T_FLOAT && size == 4;
  if (count > 0 &&
      H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.numbers.data()) < 0)
    damaged(what + " cannot be read");
  return result;
}

}    // namespace TOFU_NS

#else

namespace TOFU_NS {

struct Hdf5File::Library {};

Hdf5File::Hdf5File(std::string_view)
{
  throw ModelError("it is a model in HDF5 (.dp), and TOFU has been built without libhdf5 (Debian: "
                   "libhdf5-dev), which reads such files. Build it with that library, or convert "
                   "the model: dp convert-backend model.dp model.pb");
}

Hdf5File::~Hdf5File() = default;

std::string Hdf5File::text(const std::string &) const
{
  return "";
}

Tensor Hdf5File::numbers(const std::string &) const
{
  return {};
}

}    // namespace TOFU_NS

#endif
