//! Which schemas have names, and where a `$ref` leads.

use std::borrow::Cow;

use countersign_json::Value;

use crate::dialect::Dialect;
use crate::uri;

/// A schema with an address of its own, and all in it that has none.
#[derive(Debug)]
pub(crate) struct Resource<'s> {
    pub(crate) root: Value<'s>,
    pub(crate) dialect: Dialect,
    address: String,
}

/// A schema with a name within its resource.
#[derive(Debug)]
struct Anchor<'s> {
    resource: usize,
    name: Cow<'s, str>,
    schema: Value<'s>,
    is_dynamic: bool,
}

/// Where a reference leads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'s> {
    /// `None`: out of the documents, or nowhere.
    pub(crate) schema: Option<Value<'s>>,
    /// The number of the dynamic anchor that led there, if one did.
    pub(crate) dynamic: Option<usize>,
    /// How much was looked at.
    pub(crate) steps: usize,
}

/// The names in a schema and in the documents that were handed over with it.
#[derive(Debug)]
pub(crate) struct Names<'s> {
    resources: Vec<Resource<'s>>,
    anchors: Vec<Anchor<'s>>,
}

/// Keywords whose value is a schema or a list of schemas.
const SCHEMAS: [&str; 16] = [
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "items",
    "prefixItems",
    "additionalItems",
    "contains",
    "additionalProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];
/// Keywords whose value is an object of schemas.
const MAPS: [&str; 6] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

/// Identifies a value, whichever of several documents it is in.
pub(crate) fn identity(value: Value<'_>) -> usize {
    value.text().as_ptr() as usize
}

impl<'s> Names<'s> {
    /// The names in `root`; `others` are documents with the addresses at which they are known.
    pub(crate) fn of(root: Value<'s>, others: &[(&'s str, Value<'s>)], dialect: Dialect) -> Names<'s> {
        let mut names = Names { resources: Vec::new(), anchors: Vec::new() };
        names.document(root, "", dialect);
        for (address, other) in others {
            names.document(*other, address, dialect);
        }
        names
    }

    fn document(&mut self, root: Value<'s>, address: &str, dialect: Dialect) {
        let dialect = Dialect::declared(root).unwrap_or(dialect);
        self.resources.push(Resource { root, dialect, address: uri::split(address).0.to_owned() });
        let mut pending = vec![(root, self.resources.len() - 1)];
        while let Some((schema, resource)) = pending.pop() {
            let resource = self.name(schema, resource);
            for (key, value) in schema.members() {
                let is_one_of = |names: &[&str]| names.iter().any(|name| key.equals(name));
                if value.is_object() && is_one_of(&MAPS) {
                    pending.extend(value.members().map(|(_, schema)| (schema, resource)));
                } else if (value.is_object() || value.is_array()) && is_one_of(&SCHEMAS) {
                    pending.extend(value.items().map(|schema| (schema, resource)));
                    pending.push((value, resource));
                }
            }
        }
    }

    /// Notes the names that this schema gives itself; returns the resource that it is in.
    fn name(&mut self, schema: Value<'s>, outer: usize) -> usize {
        let [id, anchor, dynamic, reference] = schema.pick(["$id", "$anchor", "$dynamicAnchor", "$ref"]);
        let (base, dialect) = self
            .resources
            .get(outer)
            .map_or(("", Dialect::default()), |outer| (&outer.address, outer.dialect));
        let is_old = dialect == Dialect::Draft07;
        let mut resource = outer;
        // In draft-07 a reference makes everything beside it void.
        let id = id.filter(|_| !(is_old && reference.is_some())).and_then(Value::as_str);
        if let Some(id) = id {
            let (address, fragment) = uri::split(&id);
            if !address.is_empty() {
                let address = uri::join(base, address);
                let dialect = Dialect::declared(schema).unwrap_or(dialect);
                match self.resources.get_mut(outer) {
                    // The document was handed over without an address, and has one.
                    Some(document)
                        if document.address.is_empty() && identity(document.root) == identity(schema) =>
                    {
                        document.address = address;
                    }
                    _ => {
                        resource = self.resources.len();
                        self.resources.push(Resource { root: schema, dialect, address });
                    }
                }
            }
            if let Some(fragment) = fragment.filter(|fragment| is_old && !fragment.is_empty()) {
                let name = Cow::Owned(fragment.to_owned());
                self.anchors.push(Anchor { resource, name, schema, is_dynamic: false });
            }
        }
        for (name, is_dynamic) in [(anchor, false), (dynamic, true)] {
            if let Some(name) = name.filter(|_| !is_old).and_then(Value::as_str) {
                self.anchors.push(Anchor { resource, name, schema, is_dynamic });
            }
        }
        resource
    }

    /// Whether there is but one resource, so that a way through several need not be remembered.
    pub(crate) fn is_one(&self) -> bool {
        self.resources.len() == 1
    }

    /// The resource that this schema is in: the innermost around it.
    pub(crate) fn around(&self, schema: Value<'s>) -> usize {
        if self.is_one() {
            return 0;
        }
        let at = identity(schema);
        let contains = |resource: &Resource<'s>| {
            (identity(resource.root)..identity(resource.root) + resource.root.text().len()).contains(&at)
        };
        let all = self.resources.iter().enumerate().filter(|(_, resource)| contains(resource));
        all.max_by_key(|(_, resource)| identity(resource.root)).map_or(0, |(index, _)| index)
    }

    pub(crate) fn get(&self, resource: usize) -> Option<&Resource<'s>> {
        self.resources.get(resource)
    }

    /// The root of the schema.
    pub(crate) fn root(&self) -> Option<Value<'s>> {
        self.resources.first().map(|resource| resource.root)
    }

    /// The roots of all documents, and of all other resources.
    pub(crate) fn documents(&self) -> impl Iterator<Item = Value<'s>> {
        self.resources.iter().map(|resource| resource.root)
    }

    pub(crate) fn len(&self) -> usize {
        self.resources.len() + self.anchors.len()
    }

    /// What `reference`, which stands in the schema `from`, leads to.
    pub(crate) fn find(&self, reference: &str, from: Value<'s>) -> Found<'s> {
        let mut found = Found { schema: None, dynamic: None, steps: self.len() + reference.len() / 16 };
        let (address, fragment) = uri::split(reference);
        let around = self.around(from);
        let resource = match address {
            "" => self.get(around),
            address => {
                let base = self.get(around).map_or("", |resource| &resource.address);
                let address = uri::join(base, address);
                self.resources.iter().find(|resource| resource.address == address)
            }
        };
        let Some(root) = resource.map(|resource| resource.root) else { return found };
        let fragment = uri::decoded(fragment.unwrap_or_default());
        if fragment.is_empty() || fragment.starts_with('/') {
            let mut here = root;
            for token in fragment.split('/').skip(1) {
                found.steps += here.len();
                let Some(next) = here.pointer(&["/", token].concat()) else { return found };
                here = next;
            }
            found.schema = Some(here);
        } else if let Some((index, anchor)) = self.anchor(root, &fragment, false) {
            found.schema = Some(anchor.schema);
            found.dynamic = anchor.is_dynamic.then_some(index);
        }
        found
    }

    fn anchor(&self, root: Value<'s>, name: &str, only_dynamic: bool) -> Option<(usize, &Anchor<'s>)> {
        self.anchors.iter().enumerate().find(|(_, anchor)| {
            let is_there =
                || self.get(anchor.resource).is_some_and(|own| identity(own.root) == identity(root));
            anchor.name == name && (anchor.is_dynamic || !only_dynamic) && is_there()
        })
    }

    /// The schema in the resource that has the same dynamic anchor as the one with this number.
    pub(crate) fn dynamic(&self, resource: usize, anchor: usize) -> Option<Value<'s>> {
        let name = &self.anchors.get(anchor)?.name;
        Some(self.anchor(self.get(resource)?.root, name, true)?.1.schema)
    }
}
