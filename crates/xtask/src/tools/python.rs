//! Python, and an environment for each real framework.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::version::Version;
use super::{on_path, version_of};
use crate::failure::{Attempt, Failure};
use crate::files;
use crate::invocation::Invocation;
use crate::workspace::Workspace;

/// The oldest version that the frameworks run on.
const OLDEST: Version = Version::new(3, 11, 0);

/// One environment is made at a time, and not by two at once.
static MAKING: Mutex<()> = Mutex::new(());

fn prepare() -> Result<PathBuf, Failure> {
    ["python3", "python"]
        .into_iter()
        .flat_map(on_path)
        .find(|program| version_of(program).is_some_and(|version| version >= OLDEST))
        .ok_or_else(|| Failure::new("Python 3.11 or newer is not installed: the real frameworks need it"))
}

/// Makes the environment of a framework, unless it is there, and returns its Python.
///
/// It holds what `tests/backends/<name>.txt` names; another content of that file is another environment.
pub(crate) fn environment(workspace: &Workspace, name: &str) -> Result<PathBuf, Failure> {
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let requirements = workspace.require(&format!("tests/backends/{name}.txt"))?;
    let digest = files::short_digest(&[&files::bytes(&requirements)?]);
    let folder = workspace.target(&format!("venv/{name}-{digest}"));
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let marker = folder.join("complete");
    if marker.is_file() && version_of(&python).is_some() {
        return Ok(python);
    }
    println!("   installing the framework {name} into {}: one to three minutes", folder.display());
    files::remove_folder(&folder)?;
    Invocation::new(prepare()?)
        .args(["-m", "venv"])
        .arg(&folder)
        .run()
        .attempting(|| "make a Python environment (on Debian the package python3-venv is needed)".into())?;
    Invocation::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", "-r"])
        .arg(&requirements)
        .run()?;
    files::write(&marker, "")?;
    Ok(python)
}
