//! The served page: whether it is there, and showing it.

use std::env;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::time::Duration;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether the server on this port of 127.0.0.1 answers a request for the page with success.
pub(super) fn is_served(port: u16) -> bool {
    status(port).is_some_and(|line| line.starts_with("HTTP/1.1 200"))
}

fn status(port: u16) -> Option<String> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let request =
        format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: text/html\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut start = [0; 12];
    stream.read_exact(&mut start).ok()?;
    Some(String::from_utf8_lossy(&start).into_owned())
}

/// Shows the page in the user's browser, if there is a screen; else the printed address has to do.
pub(super) fn open(address: &str) {
    let Some((program, arguments)) = opener() else { return };
    let started = Command::new(program)
        .args(arguments)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    // Waits in the background, so that the opener does not stay behind as a zombie.
    if let Ok(mut child) = started {
        std::thread::spawn(move || child.wait());
    }
}

fn opener() -> Option<(&'static str, &'static [&'static str])> {
    let screen = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env::var_os(name).is_some());
    if cfg!(target_os = "macos") {
        Some(("open", &[]))
    } else if cfg!(windows) {
        Some(("rundll32", &["url.dll,FileProtocolHandler"]))
    } else if screen {
        Some(("xdg-open", &[]))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    fn answering(answer: &'static str) -> u16 {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 256];
            let _ = stream.read(&mut request).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
        });
        port
    }

    #[test]
    fn only_success_counts_as_served() {
        assert!(is_served(answering("HTTP/1.1 200 OK\r\n\r\n")));
        assert!(!is_served(answering("HTTP/1.1 500 Internal Server Error\r\n\r\n")));
    }
}
