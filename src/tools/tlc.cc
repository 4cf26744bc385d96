// tlc: the command-line tool over the public API. This file reads the command line; the commands
// are beside it.
#include "tlc_commands.h"
#include "tlc_common.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>

using namespace tlc;

namespace {

void addCheck(CLI::App &app, std::vector<std::string> &files) {
  CLI::App *c = app.add_subcommand("check", "Parse and verify kernels; diagnostics go to stderr");
  c->add_option("FILE", files, ".tile or .tlg files (- is standard input)")->required();
  c->callback([&] { checkCommand(files); });
}

void addPrint(CLI::App &app, std::string &file, std::string &kernel, bool &canonical,
              std::vector<std::string> &set) {
  CLI::App *c = app.add_subcommand("print", "Print a kernel's text form");
  c->add_option("FILE", file, "a .tile or .tlg file (- is standard input)")->required();
  c->add_option("--kernel", kernel, "only this one of the file's kernels and sequences");
  c->add_flag("--canonical", canonical,
              "bind the parameters and print the canonical form, as artifacts hold it");
  c->add_option("--set", set, "NAME=VALUE: a parameter's value")->allow_extra_args(false);
  c->callback([&] { printCommand(file, kernel, canonical, set); });
}

void addBuild(CLI::App &app, BuildArguments &arguments) {
  CLI::App *c = app.add_subcommand("build", "Compile kernels for targets");
  c->add_option("FILE", arguments.files, ".tile or .tlg files")->required();
  c->add_option("-t,--target", arguments.targets,
                "amdgcn:gfx942, nvptx:sm_90, host (this CPU), host:x86-64-v3, ...; may be "
                "repeated")
      ->required()
      ->allow_extra_args(false);
  c->add_option("-o,--output", arguments.out,
                "output file; default: the kernel file's name with another ending. Several kernels "
                "make one library in it");
  c->add_option("--kernel", arguments.kernels,
                "NAME: this one of a file's kernels and sequences, instead of the last one; may be "
                "repeated")
      ->allow_extra_args(false);
  c->add_flag("--all", arguments.all, "all kernels and sequences of each file");
  c->add_option("--set", arguments.set, "NAME=VALUE: a parameter's value")->allow_extra_args(false);
  c->add_option("--emit", arguments.emit,
                "artifact (default), graph, passes, llvm, asm, object; separate with commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  c->add_option("--opt", arguments.opt,
                "NAME=VALUE, one each time: level=0..3 or threads=N or debug=0|1; may be repeated")
      ->allow_extra_args(false);
  c->add_flag("--stats", arguments.stats,
              "print resources and build times as a JSON object a target");
  c->callback([&] { buildCommand(arguments); });
}

void addRun(CLI::App &app, RunArguments &arguments) {
  CLI::App *c = app.add_subcommand("run", "Run a kernel on generated or given input");
  c->add_option("FILE", arguments.file, "a .tile, .tlg or .tlk file, or - for text from stdin")
      ->required();
  c->add_option("--kernel", arguments.kernel,
                "NAME: this one of the file's kernels and sequences, instead of the last one");
  c->add_option("-d,--device", arguments.device,
                "hip:0, cuda:0, emu:gfx942, host, interp, or auto (default)");
  c->add_option("--set", arguments.set, "NAME=VALUE: a parameter's or scalar argument's value")
      ->allow_extra_args(false);
  c->add_option(
       "--in", arguments.in,
       "NAME=randn|zeros|arange|uniform|uniform:LOW:HIGH|const:VALUE|@file.npy: input for a view "
       "or pointer argument")
      ->allow_extra_args(false);
  c->add_option("--shape", arguments.shape,
                "NAME=128x64: shape of a view with dynamic extents, or of the memory of a pointer")
      ->allow_extra_args(false);
  c->add_option("--out", arguments.out, "NAME=@file.npy: where to write an argument after the run")
      ->allow_extra_args(false);
  c->add_option("--seed", arguments.seed, "seed of generated input")
      ->check([](const std::string &text) {
        return std::string(text[0] == '-' ? "a seed is not negative" : "");
      });
  c->add_option("--repeat", arguments.repeat, "time this many launches");
  c->add_flag("--check", arguments.check,
              "compare with the reference interpreter; exit 1 on a mismatch");
  c->add_flag("--json", arguments.json, "print one JSON object");
  c->add_flag("--report", arguments.report,
              "emu devices: what the emulator's checks found and counted, by source line");
  c->callback([&] { runCommand(arguments); });
}

void addEmu(CLI::App &app, EmuArguments &arguments) {
  CLI::App *c =
      app.add_subcommand("emu", "Run any AMDGPU code object in the emulator, or list what it uses");
  c->add_option("CODEOBJECT", arguments.files, "ELF code objects or offload bundles; one to launch")
      ->required();
  c->add_option("--launch", arguments.launchFile,
                "a JSON file: chip, kernel, grid, block, args (docs/emulator.md)");
  c->add_flag("--census", arguments.census,
              "list the instructions used; exit 1 when the emulator does not know one");
  c->add_flag("--report", arguments.report, "print what was found and counted, by source line");
  c->add_flag("--json", arguments.json, "the report as one JSON object");
  c->add_flag("!--no-checks", arguments.checks, "only look for faults");
  c->add_option("--threads", arguments.threads, "workers; default: all processors");
  c->add_option("--seed", arguments.seed, "order of waves and workgroups; default: by number");
  c->add_option("--budget", arguments.budget, "wave instructions until a launch counts as hung");
  c->add_option("--perturbation", arguments.perturbation,
                "noise of approximated functions in ulps; default: rounded right");
  c->add_option("--accumulation", arguments.accumulation,
                "how matrix instructions add: cdna, as CDNA chips do (default), or ordered")
      ->check(CLI::IsMember({"cdna", "ordered"}));
  c->add_option("--buffer-range", arguments.bufferRange,
                "what a buffer's range check drops: each dword outside (default), or the access")
      ->check(CLI::IsMember({"dword", "access"}));
  c->callback([&] { emuCommand(arguments); });
}

/// "help", "help build": what --help says. Other words that are no command are named.
std::vector<std::string> argumentsOf(CLI::App &app, int argc, char **argv) {
  std::vector<std::string> list(argv + std::min(argc, 1), argv + argc);
  if (list.empty() || list[0].empty())
    return list;
  if (list[0] == "help") {
    list.erase(list.begin());
    list.resize(std::min<size_t>(list.size(), 1));
    list.push_back("--help");
  }
  auto commands = app.get_subcommands([](const CLI::App *) { return true; });
  bool known = std::any_of(commands.begin(), commands.end(),
                           [&](const CLI::App *c) { return c->get_name() == list[0]; });
  if (list[0][0] != '-' && !known) {
    std::fprintf(stderr, "tlc: there is no command '%s'; tlc --help lists them\n", list[0].c_str());
    throw Failed{2};
  }
  return list;
}

int run(int argc, char **argv) {
  CLI::App app{"Compile and run tile graphs."};
  app.name("tlc");
  app.set_version_flag("--version", std::string("tlc ") + tl_build_info());
  app.require_subcommand(1);
  std::vector<std::string> checkFiles, printSet;
  std::string printFile, printKernel;
  bool canonical = false, devicesJson = false;
  BuildArguments build;
  RunArguments runArguments;
  EmuArguments emu;
  addCheck(app, checkFiles);
  addPrint(app, printFile, printKernel, canonical, printSet);
  addBuild(app, build);
  addRun(app, runArguments);
  addEmu(app, emu);
  CLI::App *devices = app.add_subcommand("devices", "List devices, and why one is missing");
  devices->add_flag("--json", devicesJson, "print a JSON array");
  devices->callback([&] { devicesCommand(devicesJson); });
  try {
    std::vector<std::string> list = argumentsOf(app, argc, argv);
    std::reverse(list.begin(), list.end()); // as CLI11 takes them
    app.parse(std::move(list));
  } catch (const CLI::ExtrasError &) {
    // CLI11 names them from the last to the first.
    std::string extras;
    for (const std::string &word : app.remaining(true))
      extras += " " + word;
    std::fprintf(stderr, "tlc: not expected:%s; tlc help COMMAND lists what is\n", extras.c_str());
    return 2;
  } catch (const CLI::ParseError &e) {
    if (e.get_exit_code() == 0)
      return app.exit(e);
    std::fprintf(stderr, "tlc: %s; tlc help COMMAND lists the options\n", e.what());
    return 2;
  } catch (const Failed &failed) {
    return failed.exitCode;
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "tlc: out of memory (%s)\n", tl_status_name(TL_E_OUT_OF_MEMORY));
    return 1;
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) { return run(argc, argv); }
