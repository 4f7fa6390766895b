// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/cmake/LockLinks.h"
#include "rewrite/cmake/CMakeText.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace qdadvise {
namespace {

namespace fs = std::filesystem;

TEST(CMakeText, CommandsAreFoundBetweenComments) {
  const std::vector<CMakeCommand> commands =
      cmakeCommands("# add_library(no)\n#[[ add_library(no)\n]]\nAdd_Library( one \"a b;c\" # x)\n"
                    "  [=[ ]] ]=] $<1:(x)>)\nif(NOT (A OR B))\nendif()\nbroken add_library(no)\n");
  ASSERT_EQ(commands.size(), 3u);
  EXPECT_EQ(commands[0].name, "add_library");
  EXPECT_EQ(commands[0].arguments,
            (std::vector<std::string>{"one", "a b;c", " ]] ", "$<1:", "x", ">"}));
  EXPECT_EQ(commands[1].arguments, (std::vector<std::string>{"NOT", "A", "OR", "B"}));
  EXPECT_TRUE(commands[2].arguments.empty());
}

class LockLinksTest : public testing::Test {
protected:
  LockLinksTest() {
    fs::remove_all(root);
    write("build/CMakeCache.txt", "# x\nCMAKE_HOME_DIRECTORY:INTERNAL=" + root.string() + "\n");
  }
  ~LockLinksTest() override { fs::remove_all(root); }

  void write(const std::string &name, const std::string &text) const {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  }
  LockLinks linkedTo(const std::set<std::string> &targets) const {
    return linkLocks((root / "build").string(), targets);
  }
  std::string after(const LockLinks &links, const std::string &name) const {
    const auto found = links.after.find((root / name).string());
    return found == links.after.end() ? "" : found->second;
  }

  const fs::path root =
      fs::path(testing::TempDir()) / ("qdadvise-links-" + std::to_string(::getpid()));
};

TEST_F(LockLinksTest, TheLineIsBehindTheCommandInEachFolder) {
  write("CMakeLists.txt", "project(app C)\nadd_subdirectory(lib)\nif(X)\n"
                          "  add_executable(${PROJECT_NAME}\n    main.c) # all\nendif()\n"
                          "add_executable(tool tool.c)");
  write("lib/CMakeLists.txt", "add_library(store store.c)\ntarget_link_libraries(store m)\n");
  const LockLinks links = linkedTo({"tool", "app", "store", "nowhere"});
  EXPECT_EQ(links.linked, (std::set<std::string>{"app", "store", "tool"}));
  EXPECT_EQ(after(links, "CMakeLists.txt"),
            "project(app C)\nadd_subdirectory(lib)\nif(X)\n"
            "  add_executable(${PROJECT_NAME}\n    main.c) # all\n"
            "  find_package(QDAdvise REQUIRED COMPONENTS locks)\n"
            "  target_link_libraries(app PRIVATE QDAdvise::locks)\nendif()\n"
            "add_executable(tool tool.c)\ntarget_link_libraries(tool PRIVATE QDAdvise::locks)\n");
  // Who links without a word like PRIVATE may not use one.
  EXPECT_EQ(after(links, "lib/CMakeLists.txt"),
            "add_library(store store.c)\nfind_package(QDAdvise REQUIRED COMPONENTS locks)\n"
            "target_link_libraries(store QDAdvise::locks)\ntarget_link_libraries(store m)\n");
}

TEST_F(LockLinksTest, NothingIsWrittenThatIsThereOrNotKnown) {
  write("CMakeLists.txt",
        "find_package(QDAdvise QUIET)\nadd_executable(done a.c)\n"
        "target_link_libraries(done PUBLIC $<TARGET_NAME_IF_EXISTS:QDAdvise::locks>)\n"
        "add_library(twice a.c)\nadd_library(twice b.c)\nadd_library(other ALIAS twice)\n"
        "add_library(late a.c)\ntarget_link_libraries(late PRIVATE m)\n"
        "function(make name)\n  add_executable(${name} a.c)\n"
        "  target_link_libraries(${name} m)\nendfunction()\nadd_executable(unsure a.c)\n");
  const LockLinks links = linkedTo({"done", "twice", "other", "late", "unsure", "name"});
  EXPECT_EQ(links.linked, (std::set<std::string>{"done", "late"}));
  EXPECT_EQ(after(links, "CMakeLists.txt").find("REQUIRED"), std::string::npos);
  EXPECT_NE(after(links, "CMakeLists.txt")
                .find("add_library(late a.c)\ntarget_link_libraries(late PRIVATE QDAdvise::locks)"),
            std::string::npos);
  fs::remove(root / "build" / "CMakeCache.txt");
  EXPECT_TRUE(linkedTo({"late"}).linked.empty());
}

} // namespace
} // namespace qdadvise
