//! A graph under construction. Operators and constants are named in the order in which they are
//! added.

use crate::Precision;
use crate::proto::{
    AttributeProto, DimensionProto, GraphProto, NodeProto, TensorProto, TensorShapeProto,
    TensorTypeProto, TypeProto, ValueInfoProto, attribute, data,
};
use kernsieve::{Error, Result};

/// The domain of operators for machine learning.
pub const LEARNING: &str = "ai.onnx.ml";

/// A graph under construction. Values are identified by their names.
pub struct Graph {
    precision: Precision,
    nodes: Vec<NodeProto>,
    constants: Vec<TensorProto>,
}

impl Graph {
    /// An empty graph whose numbers have this precision.
    pub fn new(precision: Precision) -> Self {
        Self {
            precision,
            nodes: Vec::new(),
            constants: Vec::new(),
        }
    }

    /// The precision of its numbers.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Adds an operator with one output.
    pub fn op(&mut self, kind: &str, inputs: &[&str]) -> String {
        self.op_with(kind, inputs, vec![])
    }

    /// Adds an operator with attributes and one output.
    pub fn op_with(
        &mut self,
        kind: &str,
        inputs: &[&str],
        attributes: Vec<AttributeProto>,
    ) -> String {
        self.op_many(kind, inputs, attributes, 1).swap_remove(0)
    }

    /// Adds an operator with any number of outputs.
    pub fn op_many(
        &mut self,
        kind: &str,
        inputs: &[&str],
        attributes: Vec<AttributeProto>,
        outputs: usize,
    ) -> Vec<String> {
        let name = format!("{}_{}", kind.to_lowercase(), self.nodes.len());
        let outputs: Vec<String> = match outputs {
            1 => vec![name.clone()],
            many => (0..many).map(|k| format!("{name}_{k}")).collect(),
        };
        self.nodes
            .push(node(kind, &name, inputs, &outputs, attributes));
        outputs
    }

    /// Adds an operator for machine learning with one input and one output.
    pub fn learning(&mut self, kind: &str, input: &str, attributes: Vec<AttributeProto>) -> String {
        let name = format!("{}_{}", kind.to_lowercase(), self.nodes.len());
        let made = node(
            kind,
            &name,
            &[input],
            std::slice::from_ref(&name),
            attributes,
        );
        self.nodes.push(NodeProto {
            domain: Some(LEARNING.into()),
            ..made
        });
        name
    }

    /// Lets `build` compute a value in double precision, within a graph of single precision.
    pub fn in_double(
        &mut self,
        value: &str,
        build: impl FnOnce(&mut Self, String) -> Result<String>,
    ) -> Result<String> {
        let outside = self.precision;
        let cast = |precision: Precision| vec![int("to", i64::from(precision.data_type()))];
        let inside = self.op_with("Cast", &[value], cast(Precision::F64));
        self.precision = Precision::F64;
        let result = build(self, inside);
        self.precision = outside;
        Ok(self.op_with("Cast", &[&result?], cast(outside)))
    }

    /// Gives a value the name of an output of the graph.
    pub fn publish(&mut self, value: &str, name: &str) {
        self.nodes.push(node(
            "Identity",
            name,
            &[value],
            &[name.to_string()],
            vec![],
        ));
    }

    /// Adds a constant of the graph's precision; `what` names it in an error.
    pub fn numbers(&mut self, what: &str, values: &[f64], dims: &[usize]) -> Result<String> {
        let bytes = match self.precision {
            Precision::F64 => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Precision::F32 => {
                if let Some(v) = values
                    .iter()
                    .find(|v| v.is_finite() && !(**v as f32).is_finite())
                {
                    return Err(Error::Data(format!(
                        "{what} hold {v:e}, which is too large for single precision; \
                         export in double precision"
                    )));
                }
                values
                    .iter()
                    .flat_map(|v| (*v as f32).to_le_bytes())
                    .collect()
            }
        };
        Ok(self.constant(self.precision.data_type(), dims, bytes, vec![]))
    }

    /// Adds a constant that is a single number.
    pub fn number(&mut self, what: &str, value: f64) -> Result<String> {
        self.numbers(what, &[value], &[])
    }

    /// Adds a constant row of whole numbers.
    pub fn integers(&mut self, values: &[i64]) -> String {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.constant(data::INT64, &[values.len()], bytes, vec![])
    }

    /// Adds a constant that is a single whole number.
    pub fn integer(&mut self, value: i64) -> String {
        self.constant(data::INT64, &[], value.to_le_bytes().to_vec(), vec![])
    }

    /// Adds a constant row of texts.
    pub fn texts(&mut self, values: &[String]) -> String {
        let texts = values.iter().map(|v| v.clone().into_bytes()).collect();
        self.constant(data::STRING, &[values.len()], vec![], texts)
    }

    fn constant(
        &mut self,
        data_type: i32,
        dims: &[usize],
        bytes: Vec<u8>,
        texts: Vec<Vec<u8>>,
    ) -> String {
        let name = format!("constant_{}", self.constants.len());
        self.constants.push(TensorProto {
            dims: dims.iter().map(|&d| d as i64).collect(),
            data_type: Some(data_type),
            raw_data: texts.is_empty().then_some(bytes),
            string_data: texts,
            name: Some(name.clone()),
        });
        name
    }

    /// The finished graph.
    pub fn finish(
        self,
        name: &str,
        input: Vec<ValueInfoProto>,
        output: Vec<ValueInfoProto>,
    ) -> GraphProto {
        GraphProto {
            node: self.nodes,
            name: Some(name.into()),
            initializer: self.constants,
            input,
            output,
        }
    }
}

/// An operator.
pub fn node(
    kind: &str,
    name: &str,
    inputs: &[&str],
    outputs: &[String],
    attributes: Vec<AttributeProto>,
) -> NodeProto {
    NodeProto {
        input: inputs.iter().map(|s| s.to_string()).collect(),
        output: outputs.to_vec(),
        name: Some(name.into()),
        op_type: Some(kind.into()),
        attribute: attributes,
        domain: None,
    }
}

/// An attribute that is a whole number.
pub fn int(name: &str, value: i64) -> AttributeProto {
    AttributeProto {
        name: Some(name.into()),
        i: Some(value),
        r#type: Some(attribute::INT),
        ..AttributeProto::default()
    }
}

/// An attribute that is a number.
pub fn float(name: &str, value: f32) -> AttributeProto {
    AttributeProto {
        name: Some(name.into()),
        f: Some(value),
        r#type: Some(attribute::FLOAT),
        ..AttributeProto::default()
    }
}

/// An attribute that is a row of whole numbers.
pub fn ints(name: &str, values: &[i64]) -> AttributeProto {
    AttributeProto {
        name: Some(name.into()),
        ints: values.to_vec(),
        r#type: Some(attribute::INTS),
        ..AttributeProto::default()
    }
}

/// An attribute that is a row of texts.
pub fn strings(name: &str, values: &[String]) -> AttributeProto {
    AttributeProto {
        name: Some(name.into()),
        strings: values.iter().map(|v| v.clone().into_bytes()).collect(),
        r#type: Some(attribute::STRINGS),
        ..AttributeProto::default()
    }
}

/// An attribute that is a graph.
pub fn subgraph(name: &str, value: GraphProto) -> AttributeProto {
    AttributeProto {
        name: Some(name.into()),
        g: Some(value),
        r#type: Some(attribute::GRAPH),
        ..AttributeProto::default()
    }
}

/// A size of a tensor.
#[derive(Clone, Copy)]
pub enum Size {
    /// The number of rows, known when the graph runs.
    Rows,
    /// Known now.
    Fixed(usize),
}

/// Name, type and shape of an input or output.
pub fn value(name: &str, data_type: i32, sizes: &[Size], doc: &str) -> ValueInfoProto {
    let dim = sizes
        .iter()
        .map(|size| match size {
            Size::Rows => DimensionProto {
                dim_param: Some("N".into()),
                dim_value: None,
            },
            Size::Fixed(n) => DimensionProto {
                dim_param: None,
                dim_value: Some(*n as i64),
            },
        })
        .collect();
    ValueInfoProto {
        name: Some(name.into()),
        r#type: Some(TypeProto {
            tensor_type: Some(TensorTypeProto {
                elem_type: Some(data_type),
                shape: Some(TensorShapeProto { dim }),
            }),
        }),
        doc_string: (!doc.is_empty()).then(|| doc.into()),
    }
}
