// SPDX-License-Identifier: GPL-2.0-only
//
// Registration of the styles of a plug-in for a test.

#ifndef TOFU_TEST_PLUGIN_STYLE_H
#define TOFU_TEST_PLUGIN_STYLE_H

#include "lammpsplugin.h"

#include "fix.h"
#include "kspace.h"
#include "version.h"

/** Arguments of lammpsplugin_init(). */
struct PluginStyles {
  void *lmp, *handle, *regfunc;

  template <class Style> void add_fix(const char *name) const
  {
    lammpsplugin_t plugin = described("fix", name);
    plugin.creator.v2 = (lammpsplugin_factory2 *) &make_fix<Style>;
    ((lammpsplugin_regfunc) regfunc)(&plugin, lmp);
  }

  template <class Style> void add_kspace(const char *name) const
  {
    lammpsplugin_t plugin = described("kspace", name);
    plugin.creator.v1 = (lammpsplugin_factory1 *) &make_kspace<Style>;
    ((lammpsplugin_regfunc) regfunc)(&plugin, lmp);
  }

 private:
  template <class Style>
  static LAMMPS_NS::Fix *make_fix(LAMMPS_NS::LAMMPS *lammps, int narg, char **arg)
  {
    return new Style(lammps, narg, arg);
  }
  template <class Style> static LAMMPS_NS::KSpace *make_kspace(LAMMPS_NS::LAMMPS *lammps)
  {
    return new Style(lammps);
  }

  lammpsplugin_t described(const char *kind, const char *name) const
  {
    lammpsplugin_t plugin{};
    plugin.version = LAMMPS_VERSION;
    plugin.style = kind;
    plugin.name = name;
    plugin.info = "for a test";
    plugin.author = "The TOFU developers";
    plugin.handle = handle;
    return plugin;
  }
};

#endif
