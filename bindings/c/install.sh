#!/usr/bin/env bash
# Builds the C library and installs it: install.sh [--prefix DIR] [--built DIR]
#   --prefix DIR   where to, with folders include and lib in it [default: /usr/local]
#   --built DIR    take the libraries from DIR in place of building them
# DESTDIR, if it is set, is put before the prefix.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
prefix=/usr/local built=
while [ $# -gt 0 ]; do
    case $1 in
        --prefix=*) prefix=${1#*=} ;;
        --built=*) built=${1#*=} ;;
        --prefix | --built)
            [ $# -gt 1 ] || { echo "install.sh: $1 takes a folder" >&2; exit 2; }
            printf -v "${1#--}" %s "$2"
            shift ;;
        -h | --help) sed -n 's/^# \{0,1\}//p' "$0" | sed -n 2,5p; exit 0 ;;
        *) echo "install.sh: \`$1\` is not known: try --help" >&2; exit 2 ;;
    esac
    shift
done
case $prefix in
    /*) ;;
    *) echo "install.sh: --prefix $prefix: give a path that starts with /" >&2; exit 2 ;;
esac
number() { sed -n "s/^#define REMAP_VERSION_$1 //p" "$here/include/remap.h"; }
major=$(number MAJOR) minor=$(number MINOR) patch=$(number PATCH)
version=$major.$minor.$patch
# A version 0.x may change what another 0.x had.
if [ "$major" = 0 ]; then same=0.$minor; else same=$major; fi
if [ -z "$built" ]; then
    (cd "$here" && cargo build --release --locked)
    built=${CARGO_TARGET_DIR:-$here/../target}/release
fi
root=${DESTDIR:-}$prefix
lib=$root/lib include=$root/include
mkdir -p "$lib/pkgconfig" "$lib/cmake/remapping" "$include"
install -m 644 "$here/include/remap.h" "$here/include/remap.hpp" "$here/include/remap.f90" "$include"
install -m 644 "$built/libremap.a" "$lib"
if [ "$(uname)" = Darwin ]; then
    shared=libremap.$same.dylib
    install -m 755 "$built/libremap.dylib" "$lib/$shared"
    ln -sf "$shared" "$lib/libremap.dylib"
else
    shared=libremap.so.$same
    install -m 755 "$built/libremap.so" "$lib/libremap.so.$version"
    ln -sf "libremap.so.$version" "$lib/$shared"
    ln -sf "$shared" "$lib/libremap.so"
fi
cat > "$lib/pkgconfig/remap.pc" << END
prefix=\${pcfiledir}/../..
libdir=\${prefix}/lib
includedir=\${prefix}/include
fortran=\${includedir}/remap.f90

Name: remap
Description: When should a running program remap its work?
Version: $version
Libs: -L\${libdir} -lremap
Libs.private: -lm -lpthread -ldl
Cflags: -I\${includedir}
END
cat > "$lib/cmake/remapping/remappingConfig.cmake" << END
# find_package(remapping): the targets remapping::remapping and remapping::static, and the file of the Fortran module,
# remapping_FORTRAN, to be compiled with the program.
get_filename_component(_remapping_prefix "\${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(remapping_FORTRAN "\${_remapping_prefix}/include/remap.f90")
if(NOT TARGET remapping::remapping)
    add_library(remapping::remapping SHARED IMPORTED)
    set_target_properties(remapping::remapping PROPERTIES
        IMPORTED_LOCATION "\${_remapping_prefix}/lib/$shared"
        IMPORTED_SONAME "$shared"
        INTERFACE_INCLUDE_DIRECTORIES "\${_remapping_prefix}/include")
    find_package(Threads REQUIRED)
    add_library(remapping::static STATIC IMPORTED)
    set_target_properties(remapping::static PROPERTIES
        IMPORTED_LOCATION "\${_remapping_prefix}/lib/libremap.a"
        INTERFACE_LINK_LIBRARIES "m;Threads::Threads;\${CMAKE_DL_LIBS}"
        INTERFACE_INCLUDE_DIRECTORIES "\${_remapping_prefix}/include")
endif()
unset(_remapping_prefix)
END
cat > "$lib/cmake/remapping/remappingConfigVersion.cmake" << END
set(PACKAGE_VERSION "$version")
# $same is what programs that ask for an older patch can be linked with.
if(PACKAGE_FIND_VERSION VERSION_LESS_EQUAL PACKAGE_VERSION AND PACKAGE_FIND_VERSION VERSION_GREATER_EQUAL "$same")
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
    if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
        set(PACKAGE_VERSION_EXACT TRUE)
    endif()
else()
    set(PACKAGE_VERSION_COMPATIBLE FALSE)
endif()
END
echo "remapping $version is in $root"
