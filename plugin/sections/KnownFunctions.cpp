// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sections/KnownFunctions.h"

#include "plugin/api/CFunctions.h"
#include "plugin/ast/DeclNames.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Type.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace clang;
using llvm::StringRef;

namespace qdadvise {
namespace {

struct Row {
  SectionFactBits facts;
  StringRef names; ///< separated by spaces
};

// Functions that wait are lock operations (api/CFunctions.cpp).
constexpr Row cFunctions[] = {
    {factDoesIo,
     "printf fprintf vprintf vfprintf dprintf vdprintf puts fputs putc fputc putchar fwrite fread "
     "puts_unlocked fputs_unlocked fwrite_unlocked fread_unlocked putc_unlocked putchar_unlocked "
     "fgets gets getc fgetc getchar getline getdelim ungetc scanf fscanf vfscanf fopen fopen64 "
     "fdopen freopen fclose fflush fseek fseeko ftell ftello rewind fgetpos fsetpos setvbuf perror "
     "open open64 openat creat close read write pread pwrite pread64 pwrite64 readv writev preadv "
     "pwritev lseek lseek64 fsync fdatasync sync sync_file_range ftruncate ftruncate64 truncate "
     "fallocate posix_fallocate posix_fadvise readahead sendfile splice ioctl fcntl flock lockf "
     "mmap mmap64 munmap msync madvise stat fstat lstat stat64 fstat64 lstat64 access mkdir rmdir "
     "unlink unlinkat remove rename renameat link symlink readlink opendir readdir closedir chmod "
     "chown utime utimes utimensat tmpfile mkstemp mkstemp64 mkdtemp popen pclose system dlopen "
     "socket connect accept accept4 bind listen send sendto sendmsg recv recvfrom recvmsg shutdown "
     "getaddrinfo setsockopt getsockopt syslog vsyslog __printf_chk __fprintf_chk __vfprintf_chk "
     "pipe pipe2 dup dup2 eventfd eventfd_write timerfd_settime io_submit"},
    {factThreadLocal,
     "pthread_self pthread_getspecific pthread_setspecific gettid thrd_current tss_get tss_set "
     "__errno_location __tls_get_addr"},
    {factCallsPointer, "qsort qsort_r bsearch lfind lsearch tsearch tfind pthread_once call_once"},
    {0,
     "memcpy memmove memset memcmp memchr memrchr mempcpy memmem bcopy bzero explicit_bzero strlen "
     "strnlen strcpy strncpy stpcpy stpncpy strcat strncat strcmp strncmp strcasecmp strncasecmp "
     "strchr strrchr strchrnul strstr strcasestr strspn strcspn strpbrk strdup strndup strtok_r "
     "strsep strtol strtoll strtoul strtoull strtod strtof strtold strtoimax strtoumax atoi atol "
     "atoll atof snprintf vsnprintf sprintf vsprintf sscanf vsscanf asprintf vasprintf "
     "__memcpy_chk "
     "__memmove_chk __memset_chk __strcpy_chk __strncpy_chk __strcat_chk __snprintf_chk "
     "__vsnprintf_chk __sprintf_chk malloc calloc realloc reallocarray free aligned_alloc "
     "posix_memalign memalign malloc_usable_size isalnum isalpha isblank iscntrl isdigit isgraph "
     "islower isprint ispunct isspace isupper isxdigit tolower toupper __ctype_b_loc "
     "__ctype_tolower_loc __ctype_toupper_loc abs labs llabs div ldiv lldiv rand_r random_r time "
     "clock clock_gettime gettimeofday gmtime_r localtime_r mktime timegm strftime difftime getpid "
     "getppid getuid getpagesize sysconf htonl htons ntohl ntohs inet_ntop inet_pton ffs ffsl "
     "ffsll "
     "abort exit _exit _Exit quick_exit __assert_fail __assert_perror_fail sched_yield "
     "sched_getcpu "
     "thrd_yield pthread_cond_signal pthread_cond_broadcast cnd_signal cnd_broadcast sem_post "
     "sem_trywait sem_getvalue pthread_mutex_init pthread_mutex_destroy pthread_cond_init "
     "pthread_cond_destroy pthread_rwlock_init pthread_rwlock_destroy pthread_spin_init "
     "pthread_spin_destroy pthread_equal pthread_detach pthread_create thrd_create mtx_init "
     "mtx_destroy cnd_init cnd_destroy sem_init sem_destroy __builtin_expect __cxa_atexit getenv "
     "strerror strerror_r __xpg_strerror_r crc32 adler32 rand random drand48"},
};

/// Members (`Class::member`, `Class::` for all of them) and functions of namespace std.
constexpr Row standardFunctions[] = {
    {factDoesIo,
     "basic_filebuf:: basic_fstream:: basic_ifstream:: basic_ofstream:: filesystem:: print println "
     "vprint_unicode vprint_nonunicode"},
    {factThreadLocal, "this_thread::get_id"},
    {factCallsPointer, "function::operator() move_only_function::operator() "
                       "packaged_task::operator()"},
};

template <std::size_t size> llvm::StringMap<SectionFactBits> mapOf(const Row (&rows)[size]) {
  llvm::StringMap<SectionFactBits> map;
  for (const Row &row : rows) {
    llvm::SmallVector<StringRef, 128> names;
    row.names.split(names, ' ', -1, /*KeepEmpty=*/false);
    for (const StringRef name : names)
      map[name] |= row.facts;
  }
  return map;
}

/// The name in front of the function's own: of its class, else of its namespace in std.
StringRef scopeName(const FunctionDecl &function) {
  const DeclContext *context = function.getDeclContext();
  while (context && context->isInlineNamespace())
    context = context->getParent();
  const auto *named = dyn_cast_or_null<NamedDecl>(context);
  return named && named->getIdentifier() ? named->getName() : StringRef();
}

std::string ownName(const FunctionDecl &function) {
  if (function.getIdentifier())
    return function.getName().str();
  return function.getOverloadedOperator() == OO_Call ? "operator()" : "";
}

bool isInFilesystem(const FunctionDecl &function) {
  for (const DeclContext *context = function.getDeclContext(); context;
       context = context->getParent())
    if (const auto *space = dyn_cast<NamespaceDecl>(context))
      if (space->getName() == "filesystem")
        return true;
  return false;
}

constexpr StringRef deviceStreams[] = {"basic_ostream",  "basic_istream",  "basic_iostream",
                                       "basic_ofstream", "basic_ifstream", "basic_fstream",
                                       "basic_filebuf",  "basic_streambuf"};

} // namespace

std::optional<SectionFactBits> knownFunction(const FunctionDecl &function) {
  static const llvm::StringMap<SectionFactBits> known = mapOf(cFunctions);
  if (!function.getIdentifier() || !function.isExternC())
    return std::nullopt;
  const auto found = known.find(function.getName());
  if (found != known.end())
    return found->second;
  if (isOutsideWait(function.getName())) // declared by hand, else it is an operation
    return factWaits;
  if (function.getBuiltinID() != 0)
    return SectionFactBits(0);
  return std::nullopt;
}

SectionFactBits standardFunctionFacts(const FunctionDecl &function) {
  static const llvm::StringMap<SectionFactBits> known = mapOf(standardFunctions);
  const StringRef scope = scopeName(function);
  const std::string name = ownName(function);
  SectionFactBits facts = isInFilesystem(function) ? factDoesIo : 0;
  for (const std::string &key : {name, (scope + "::").str(), (scope + "::" + name).str()})
    if (const auto found = known.find(key); found != known.end())
      facts |= found->second;
  return facts;
}

bool isDeviceStream(QualType type) {
  const CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record && record->getIdentifier() && isInStandardLibrary(*record) &&
         llvm::is_contained(deviceStreams, record->getName());
}

} // namespace qdadvise
