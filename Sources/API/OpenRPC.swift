import Accounts
import JSON
import JSONRPC

/// Prints the description of the interface from the definitions of its methods. The same definitions give the same
/// bytes.
public enum OpenRPC {
  /// The version of the OpenRPC specification that is followed.
  private static let version: ExactText = "1.3.2"

  /// - Parameter apiVersion: the version of Kith, of which this is the interface.
  public static func document(apiVersion: String) -> RPCDiscover.Result {
    var schema = SchemaWriter()
    var document = RPCDiscover.Result()
    document.openrpc = version
    document.info = info(apiVersion)
    document.methods = RawJSON(
      schema.apart { schema in
        schema.json.beginArray()
        for method in MethodRegistry.all { describe(method, into: &schema) }
        schema.json.endArray()
      })
    document.components = components(schema)
    return document
  }

  private static func info(_ apiVersion: String) -> RawJSON {
    var json = JSONWriter()
    json.beginObject()
    json.member("title")
    json.string("Kith" as StaticString)
    json.member("description")
    json.string("Answers one question for app backends: which of our users is this?" as StaticString)
    json.member("version")
    json.string(apiVersion)
    json.endObject()
    return RawJSON(json.bytes)
  }

  private static func components(_ schema: SchemaWriter) -> RawJSON {
    var json = JSONWriter()
    json.beginObject()
    json.member("schemas")
    json.beginObject()
    for (title, bytes) in schema.components.sorted(by: { $0.key < $1.key }) {
      json.member(named: title)
      json.raw(bytes)
    }
    json.endObject()
    json.endObject()
    return RawJSON(json.bytes)
  }

  private static func describe<M: Method>(_ method: M.Type, into schema: inout SchemaWriter) {
    schema.json.beginObject()
    schema.json.member("name")
    schema.json.string(M.name)
    schema.json.member("summary")
    schema.json.string(M.summary)
    schema.json.member("description")
    schema.json.string(M.description)
    schema.json.member("paramStructure")
    schema.json.string("by-name" as StaticString)
    schema.json.member("params")
    parameters(method, into: &schema)
    schema.json.member("result")
    result(method, into: &schema)
    schema.json.member("errors")
    errors(method, into: &schema)
    schema.json.endObject()
  }

  private static func parameters<M: Method>(_: M.Type, into schema: inout SchemaWriter) {
    schema.json.beginArray()
    var request = Request<M>(M.Parameters())
    var describer = ParameterDescriber(schema: schema)
    request.parameters.members(&describer)
    if M.changes { request.showRequestKey(to: &describer) }
    schema = describer.schema
    schema.json.endArray()
  }

  private static func result<M: Method>(_: M.Type, into schema: inout SchemaWriter) {
    schema.json.beginObject()
    schema.json.member("name")
    schema.json.string("result" as StaticString)
    schema.json.member("schema")
    schema.json.beginObject()
    schema.object(M.Result.self) { describer in
      guard M.changes else { return }
      var response = Response<M>(M.Result())
      show(requestID: &response.requestID, to: &describer)
    }
    schema.json.endObject()
    schema.json.endObject()
  }

  private static func errors<M: Method>(_: M.Type, into schema: inout SchemaWriter) {
    schema.json.beginArray()
    for reason in M.allErrors {
      schema.json.beginObject()
      schema.json.member("code")
      schema.json.integer(reason.code)
      schema.json.member("message")
      schema.json.string(reason.message)
      schema.json.member("data")
      schema.json.beginObject()
      schema.json.member("reason")
      schema.json.string(reason.rawValue)
      schema.json.endObject()
      schema.json.endObject()
    }
    schema.json.endArray()
  }
}
