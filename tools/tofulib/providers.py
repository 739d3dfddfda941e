# SPDX-License-Identifier: GPL-2.0-only
"""Providers of libfabric on this machine, listed by the library itself: fi_info is a package of its own."""

import ctypes
import ctypes.util

#: FI_VERSION(1, 9): the oldest interface that TOFU uses.
INTERFACE = 1 << 16 | 9


class FabricAttributes(ctypes.Structure):
    """The first members of struct fi_fabric_attr (libfabric's rdma/fabric.h)."""

    _fields_ = [("fabric", ctypes.c_void_p), ("name", ctypes.c_char_p), ("provider", ctypes.c_char_p),
                ("provider_version", ctypes.c_uint32)]


class Info(ctypes.Structure):
    """struct fi_info up to its fabric attributes."""


Info._fields_ = [("next", ctypes.POINTER(Info)), ("caps", ctypes.c_uint64), ("mode", ctypes.c_uint64),
                 ("address_format", ctypes.c_uint32), ("source_length", ctypes.c_size_t),
                 ("destination_length", ctypes.c_size_t), ("source", ctypes.c_void_p),
                 ("destination", ctypes.c_void_p), ("handle", ctypes.c_void_p), ("transmit", ctypes.c_void_p),
                 ("receive", ctypes.c_void_p), ("endpoint", ctypes.c_void_p), ("domain", ctypes.c_void_p),
                 ("fabric", ctypes.POINTER(FabricAttributes))]


def names():
    """Names of all providers, the best first as libfabric has it; None without libfabric."""
    path = ctypes.util.find_library("fabric")
    if path is None:
        return None
    library = ctypes.CDLL(path)
    library.fi_getinfo.argtypes = [ctypes.c_uint32, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_void_p,
                                   ctypes.POINTER(ctypes.POINTER(Info))]
    first = ctypes.POINTER(Info)()
    if library.fi_getinfo(INTERFACE, None, None, 0, None, ctypes.byref(first)):
        return []
    found, one = [], first
    while one:
        name = one.contents.fabric.contents.provider.decode()
        if name not in found:
            found.append(name)
        one = one.contents.next
    library.fi_freeinfo(first)
    return found
