//! `requireApproval`: for each tool server the tools that are offered, and those of them that need approval.

use countersign_core::{Ruling, ToolCall};
use countersign_json::{Value, Writer};

use crate::read::{
    Names, Read, What, fault, member, object, optional_string, strings, write_optional, write_strings,
};

/// The servers, and whether they stood in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RequireApproval {
    servers: Vec<Server>,
    is_list: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Server {
    /// `None`: whichever server it is.
    name: Option<String>,
    tools: Names,
    gated: Names,
}

impl RequireApproval {
    pub(super) fn read(value: Value<'_>) -> Read<RequireApproval> {
        let is_list = value.is_array();
        let mut servers = Vec::new();
        if !is_list {
            servers.push(server(value)?);
        }
        for value in value.items() {
            servers.push(server(value)?);
        }
        Ok(RequireApproval { servers, is_list })
    }

    /// `None`: nothing that counts for this call gates the tool. The format has no word for a permission.
    pub(super) fn opinion(&self, call: &ToolCall) -> Option<Ruling> {
        self.gates(call).next().map(|_| Ruling::Ask)
    }

    /// The places of the entries that gate this call.
    fn gates<'a>(&'a self, call: &'a ToolCall) -> impl Iterator<Item = usize> + 'a {
        let named =
            |server: &Server| call.server.is_some() && server.name.as_deref() == call.server.as_deref();
        // A server that is not known may be any of them: the strictest entry of the tool's name counts.
        let known = self.servers.iter().any(named);
        let gates = move |server: &Server| {
            (!known || server.name.is_none() || named(server)) && server.gated.has(&call.tool)
        };
        self.servers.iter().enumerate().filter(move |(_, server)| gates(server)).map(|(place, _)| place)
    }

    /// The entry that alone says whether this tool needs approval: its place in the list, or none where it stands alone.
    pub(super) fn entry(&self, call: &ToolCall) -> Option<Option<usize>> {
        let fits = |server: &Server| {
            let named = server.name.is_none() || server.name.as_deref() == call.server.as_deref();
            named && server.tools.has(&call.tool)
        };
        let mut gates = self.gates(call);
        let place = match (gates.next(), gates.next()) {
            (None, _) => self.servers.iter().position(fits)?,
            (Some(gate), None) if self.servers.get(gate).is_some_and(fits) => gate,
            _ => return None,
        };
        Some(self.is_list.then_some(place))
    }

    pub(super) fn each_tool(&self, mut tell: impl FnMut(&str, Option<&str>)) {
        for server in &self.servers {
            server.tools.list().iter().for_each(|tool| tell(tool, server.name.as_deref()));
        }
    }

    /// One entry: the tools that need approval; a list: all entries.
    pub(super) fn normalised(&self) -> String {
        let mut writer = Writer::new();
        if self.is_list {
            writer.begin_array();
        }
        for server in &self.servers {
            if self.is_list {
                writer.begin_object();
                write_optional(&mut writer, "server", server.name.as_deref());
                writer.key("toolNames");
                write_strings(&mut writer, server.tools.list());
                writer.key("requireApproval");
                write_strings(&mut writer, server.gated.list());
                writer.end_object();
            } else {
                write_strings(&mut writer, server.gated.list());
            }
        }
        writer.finish()
    }
}

fn server(value: Value<'_>) -> Read<Server> {
    let entry = object(value)?;
    let (mut tools, mut gated) = (Names::default(), Names::default());
    for key in ["toolNames", "tools"] {
        tools = tools.with(strings(entry, key)?);
    }
    for key in ["requireApproval", "require_approval"] {
        let listed = strings(entry, key)?;
        let (known, unknown): (Vec<String>, _) = listed.into_iter().partition(|tool| tools.has(tool));
        if !unknown.is_empty() {
            let place = member(entry, key).unwrap_or(entry);
            return Err(fault(place, What::NotSubset(unknown)));
        }
        gated = gated.with(known);
    }
    Ok(Server { name: optional_string(entry, "server")?, tools, gated })
}
