//! The configuration that the policy panel reads and writes, and the panel itself.

use std::cell::RefCell;
use std::rc::Rc;

use countersign_core::ToolApproval;
use countersign_json::{Document, Limits, Value};
use countersign_policy::{Configuration, PolicyError, PolicyFault, Tools};
use countersign_yew::{Intent, PolicyPanelProps, PolicyTrouble};
use js_sys::Function;
use wasm_bindgen::prelude::*;
use web_sys::ShadowRoot;
use yew::Callback;

use crate::decision::member;
use crate::desk::Desk;
use crate::error::{no_configuration, no_tools};
use crate::inbox::RawInbox;
use crate::mount::{Handle, Last, Named, read_clock};

/// A configuration, the tools that it is about, and what the panel shows of both.
#[derive(Debug, Default)]
pub(crate) struct Board {
    /// The configuration, exactly as it was given or last changed.
    text: Option<String>,
    format: Option<String>,
    configuration: Option<Configuration>,
    /// The tools that the host names.
    given: Vec<ToolApproval>,
    /// Those, then what the configuration names besides.
    pub(crate) tools: Rc<[ToolApproval]>,
    pub(crate) trouble: Option<PolicyTrouble>,
    /// Where there is trouble: which property has it.
    wrong: &'static str,
    pub(crate) read_only: bool,
    /// Whose grants are listed.
    pub(crate) desk: Option<Rc<RefCell<Desk>>>,
}

impl Board {
    fn read(&mut self) {
        self.wrong = "/configuration";
        (self.configuration, self.trouble) = (None, None);
        if let Some(text) = &self.text {
            let format = self.format.as_deref().or_else(|| Configuration::detect(text));
            // Where nothing tells the format, the text itself may be what is wrong.
            match Configuration::read(format.unwrap_or("interrupt_on"), text) {
                Err(error) => {
                    if matches!(error.fault, PolicyFault::UnknownWord(_)) && error.pointer.is_empty() {
                        self.wrong = "/format";
                    }
                    self.trouble = Some(trouble(&error));
                }
                Ok(read) if format.is_some() => self.configuration = Some(read),
                Ok(_) => {
                    let message = "the format is not known by its members: name it in `format`".to_owned();
                    self.trouble =
                        Some(PolicyTrouble { message, pointer: String::new(), offenders: Vec::new() });
                }
            }
        }
        self.survey();
    }

    fn survey(&mut self) {
        let mut tools = Tools::default();
        self.given.iter().cloned().for_each(|tool| tools.push(tool));
        if let Some(configuration) = &self.configuration {
            let by_agent = configuration.system() == "interrupt_on";
            for named in configuration.tools() {
                let known = |tool: &ToolApproval| {
                    let agent = match named.agent.is_empty() {
                        // The agent that is configured, whatever its name.
                        true => !by_agent || tool.agent.len() < 2,
                        false => tool.agent.last() == named.agent.last(),
                    };
                    (named.server.is_none() || tool.server == named.server) && agent
                };
                if !tools.named(&named.name).any(known) {
                    tools.push(named);
                }
            }
            tools.list.iter_mut().for_each(|tool| configuration.survey(tool));
        }
        self.tools = together(tools.list).into();
    }

    /// Sets whether the calls of the tool at this place are asked about; false: the configuration cannot say so.
    pub(crate) fn require(&mut self, at: usize, asks: bool) -> bool {
        let changed = self
            .configuration
            .as_ref()
            .zip(self.tools.get(at))
            .filter(|_| !self.read_only)
            .and_then(|(configuration, tool)| configuration.with_approval(tool, asks));
        let Some(configuration) = changed else { return false };
        self.text = Some(configuration.write());
        self.configuration = Some(configuration);
        self.survey();
        true
    }
}

/// The tools of one agent and server in a row, where the first of them stands; those of none first, since no heading parts
/// them from what is above.
fn together(mut tools: Vec<ToolApproval>) -> Vec<ToolApproval> {
    let mut headings = vec![(Vec::new(), None)];
    tools.sort_by_cached_key(|tool| {
        let agent: Vec<String> = tool.agent.iter().filter(|agent| !agent.is_empty()).cloned().collect();
        let heading = (agent, tool.server.clone());
        headings.iter().position(|known| *known == heading).unwrap_or_else(|| {
            headings.push(heading);
            headings.len().saturating_sub(1)
        })
    });
    tools
}

fn trouble(error: &PolicyError) -> PolicyTrouble {
    let offenders = match &error.fault {
        PolicyFault::NotSubset(names) => names.clone(),
        _ => Vec::new(),
    };
    let message = PolicyError { pointer: String::new(), fault: error.fault.clone() }.to_string();
    PolicyTrouble { pointer: error.pointer.clone(), message, offenders }
}

/// What the TypeScript class of `<countersign-policy>` wraps.
#[wasm_bindgen]
#[derive(Clone, Debug, Default)]
pub struct RawPolicy {
    board: Rc<RefCell<Board>>,
}

#[wasm_bindgen]
impl RawPolicy {
    /// A policy without tools.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> RawPolicy {
        RawPolicy::default()
    }

    /// The configuration as JSON text, and its format where it is not to be found out.
    ///
    /// # Errors
    /// Throws the JSON text of `{ code, message, path }` with `options-invalid`, as long as it cannot be read; the panel shows it.
    #[wasm_bindgen(js_name = setConfiguration)]
    pub fn set_configuration(&self, text: Option<String>, format: Option<String>) -> Result<(), JsValue> {
        let mut board = self.board.borrow_mut();
        // What was just switched often comes back from the host: what it took the place of is still known then.
        if (&board.text, &board.format) != (&text, &format) {
            (board.text, board.format) = (text, format);
            board.read();
        }
        board.trouble.as_ref().map_or(Ok(()), |trouble| Err(no_configuration(board.wrong, trouble)))
    }

    /// The configuration as it is now, as JSON text.
    #[wasm_bindgen(getter)]
    pub fn configuration(&self) -> Option<String> {
        self.board.borrow().text.clone()
    }

    /// The format of the configuration, where it could be read.
    #[wasm_bindgen(getter)]
    pub fn format(&self) -> Option<String> {
        self.board.borrow().configuration.as_ref().map(|read| read.system().to_owned())
    }

    /// The tools, as the text of a JSON array of `{ name, description?, server?, agent?, schema? }`.
    ///
    /// # Errors
    /// Throws the JSON text of `{ code, message, path }` with `options-invalid`.
    #[wasm_bindgen(js_name = setTools)]
    pub fn set_tools(&self, tools: &str) -> Result<(), JsValue> {
        let given = read_tools(tools).map_err(|place| no_tools(&place))?;
        let mut board = self.board.borrow_mut();
        board.given = given;
        board.survey();
        Ok(())
    }

    /// Whether the switches can be looked at and not moved.
    #[wasm_bindgen(js_name = setReadOnly)]
    pub fn set_read_only(&self, read_only: bool) {
        self.board.borrow_mut().read_only = read_only;
    }

    /// Lists the grants of this inbox, with a button that takes each back.
    pub fn attach(&self, inbox: &RawInbox) {
        self.board.borrow_mut().desk = Some(inbox.desk());
    }

    /// Lists no grants.
    pub fn detach(&self) {
        self.board.borrow_mut().desk = None;
    }

    /// The name of the tool at this place, and whether its calls are asked about, as JSON text.
    pub fn tool(&self, at: usize) -> Option<String> {
        let board = self.board.borrow();
        let tool = board.tools.get(at)?;
        let mut writer = countersign_json::Writer::new();
        writer.begin_object().key("name").string(&tool.name);
        crate::json::words(&mut writer, "server", tool.server.as_deref());
        writer.key("agent").begin_array();
        for agent in tool.agent.iter().filter(|agent| !agent.is_empty()) {
            writer.string(agent);
        }
        let asks = !matches!(tool.gate, countersign_core::Gate::Open);
        writer.end_array().key("requiresApproval").bool(asks).end_object();
        Some(writer.finish())
    }
}

impl RawPolicy {
    pub(crate) fn board(&self) -> Rc<RefCell<Board>> {
        Rc::clone(&self.board)
    }
}

/// Draws the tools of a policy into a shadow root, and what was granted in the inbox that it was given.
///
/// When a person turns a switch, `changed(place)` is called after the configuration was changed; when one takes back a
/// grant, `now()` is asked for the moment and `changed()` is called.
///
/// # Errors
/// Throws what the document throws when it cannot hold another element.
#[wasm_bindgen(js_name = mountPolicy)]
pub fn mount_policy(
    root: &ShadowRoot,
    policy: &RawPolicy,
    now: Function,
    changed: Function,
) -> Result<Handle, JsValue> {
    let board = policy.board();
    let tell = move |value: &JsValue| {
        // What the page does with the news is its own affair; its errors were reported there.
        let _ = changed.call1(&JsValue::NULL, value);
    };
    let tell = Rc::new(tell);
    let moment = Rc::new(move || read_clock(&now));
    let on_require = {
        let (board, tell) = (Rc::clone(&board), Rc::clone(&tell));
        Callback::from(move |(at, asks): (usize, bool)| {
            let done = board.borrow_mut().require(at, asks);
            if done {
                tell(&JsValue::from_f64(at as f64));
            }
        })
    };
    let on_intent = {
        let (board, tell, moment) = (Rc::clone(&board), Rc::clone(&tell), Rc::clone(&moment));
        Callback::from(move |intent: Intent| {
            let desk = board.borrow().desk.clone();
            if let (Some(desk), Intent::Revoke(id)) = (desk, intent) {
                desk.borrow_mut().revoke(&id, moment());
                tell(&JsValue::UNDEFINED);
            }
        })
    };
    let scene = move |_, _| {
        // Before anything is borrowed: the page's own clock may look at the inbox.
        let now = moment();
        let board = board.borrow();
        let views = |desk: &Rc<RefCell<Desk>>| desk.borrow().grant_views(now);
        let props = yew::props!(PolicyPanelProps {
            tools: Rc::clone(&board.tools),
            trouble: board.trouble.clone(),
            read_only: board.read_only,
            grants: board.desk.as_ref().map(views),
            on_require: on_require.clone(),
            on_intent: on_intent.clone(),
        });
        Some(props.into())
    };
    Handle::new(root, Box::new(scene), None, Last::default(), Named::default())
}

/// The tools, or the JSON Pointer of what is none.
fn read_tools(text: &str) -> Result<Vec<ToolApproval>, String> {
    let document = Document::parse(text, &Limits::default()).map_err(|_| String::new())?;
    if !document.root().is_array() {
        return Err(String::new());
    }
    let mut tools = Vec::new();
    for (at, item) in document.root().items().enumerate() {
        let place = ["/", &at.to_string()].concat();
        let text = |key: &str| member(item, key).and_then(|value| value.as_str_lossy()).map(String::from);
        let name = text("name").ok_or_else(|| [&place, "/name"].concat())?;
        let agent = match member(item, "agent") {
            Some(path) if path.is_array() => {
                path.items().filter_map(|step| step.as_str_lossy().map(String::from)).collect()
            }
            // One name stands for a sub-agent of the one that is configured.
            Some(one) => vec![String::new(), one.as_str_lossy().unwrap_or_default().into_owned()],
            None => Vec::new(),
        };
        let (description, server) = (text("description"), text("server"));
        let schema = member(item, "schema").map(Value::text).map(str::to_owned);
        tools.push(ToolApproval { name, description, server, agent, schema, ..ToolApproval::default() });
    }
    Ok(tools)
}

#[cfg(test)]
mod tests {
    use countersign_core::Gate;

    use super::*;

    fn board(configuration: &str, tools: &str) -> Board {
        let mut board = Board {
            text: Some(configuration.to_owned()),
            given: read_tools(tools).unwrap(),
            ..Board::default()
        };
        board.read();
        board
    }

    #[test]
    fn a_switch_changes_the_configuration_and_nothing_else_of_it() {
        let mut board = board(
            r#"{"ls": false, "agents": {"sub": {"rm": true}}}"#,
            r#"[{"name":"ls"},{"name":"rm","agent":"sub"}]"#,
        );
        let gates: Vec<Gate> = board.tools.iter().map(|tool| tool.gate).collect();
        assert_eq!(gates, [Gate::Open, Gate::Asks]);
        assert!(board.require(0, true) && board.require(1, false));
        assert_eq!(board.text.as_deref(), Some(r#"{"ls": true, "agents": {"sub": {"rm": false}}}"#));
        board.read_only = true;
        assert!(!board.require(0, false));
    }

    #[test]
    fn no_tool_stands_under_the_heading_of_another_agent_or_server() {
        let board = board(
            r#"{"ls": false, "agents": {"sub": {"ls": true, "rm": true}}}"#,
            r#"[{"name":"ls","agent":"sub"},{"name":"x","server":"s"},{"name":"y"},{"name":"z","server":"s"}]"#,
        );
        let rows: Vec<(&str, Option<&str>, &str)> = board
            .tools
            .iter()
            .map(|tool| {
                let agent = tool.agent.last().map_or("", String::as_str);
                (agent, tool.server.as_deref(), tool.name.as_str())
            })
            .collect();
        let expected = [
            ("", None, "y"),
            ("", None, "ls"),
            ("sub", None, "ls"),
            ("sub", None, "rm"),
            ("", Some("s"), "x"),
            ("", Some("s"), "z"),
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn what_a_switch_took_the_place_of_outlives_a_host_that_hands_the_change_back() {
        let text = r#"{"x": {"allowed_decisions": ["reject"]}}"#;
        let policy = RawPolicy::new();
        assert!(policy.set_configuration(Some(text.to_owned()), None).is_ok());
        assert!(policy.board().borrow_mut().require(0, false));
        assert!(policy.set_configuration(policy.configuration(), None).is_ok());
        assert!(policy.board().borrow_mut().require(0, true));
        assert_eq!(policy.configuration().as_deref(), Some(text));
    }

    #[test]
    fn what_needs_approval_and_is_no_tool_is_named() {
        let board = board(r#"{"toolNames":["a"],"requireApproval":["b","c"]}"#, "[]");
        let trouble = board.trouble.unwrap();
        assert_eq!(
            (trouble.pointer.as_str(), trouble.offenders),
            ("/requireApproval", vec!["b".into(), "c".into()])
        );
    }

    #[test]
    fn a_format_that_cannot_be_told_is_asked_for() {
        assert!(board(r#"{"a":"x"}"#, "[]").trouble.unwrap().message.contains("`format`"));
        assert!(board("{", "[]").trouble.unwrap().message.contains("not JSON"));
        assert_eq!(read_tools(r#"[{"name":"a"},{"nome":"b"}]"#), Err("/1/name".to_owned()));
    }
}
