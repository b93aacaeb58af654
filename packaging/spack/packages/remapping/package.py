from spack.package import *


class Remapping(Package):
    """When should a parallel program remap its work? Optimal, certified policies, and controllers for running programs."""

    license("MIT OR Apache-2.0", checked_by="the authors")

    version("0.1.0")

    variant("c", default=True, description="The library for C, C++ and Fortran, with pkg-config and CMake files")
    variant("python", default=False, description="The Python package")

    depends_on("c", type="build")
    depends_on("rust@1.90:", type="build")
    extends("python@3.9:", when="+python")
    depends_on("py-pip", type="build", when="+python")
    depends_on("py-maturin@1.9:1", type="build", when="+python")
    depends_on("py-numpy@1.22:", type=("build", "run"), when="+python")

    def install(self, spec, prefix):
        cargo = which("cargo", required=True)
        cargo("install", "--locked", "--root", prefix, "--path", "solvers")
        if spec.satisfies("+c"):
            which("bash", required=True)("bindings/c/install.sh", "--prefix", prefix)
        if spec.satisfies("+python"):
            # Only the library: the command is there already.
            python_pip = which("pip", required=True)
            python_pip("install", "--no-deps", "--no-build-isolation", "--target", python_platlib, "bindings/python")
