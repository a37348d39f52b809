import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

// biome-ignore lint/suspicious/noExplicitAny: a document of any depth
type Document = any;

/** Headers of HTTP, CORS and page policies, which the document does not list. */
const unlisted =
  /^(access-control-.*|cache-control|connection|content-.*|date|etag|keep-alive|transfer-encoding|vary|x-content-type-options|referrer-policy)$/;

/** Compares real responses with the document that the service publishes. */
export class PublishedContract {
  readonly #ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true, validateFormats: false });
  /** Compiled schemas by their JSON, because Ajv would compile an equal schema in another object again. */
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(readonly document: Document) {
    this.#ajv.addSchema(document, 'doc');
  }

  /** The differences between a response and the document; empty if it matches. An undocumented status is a difference. */
  async faults(method: string, path: string, response: Response): Promise<string[]> {
    const operation = this.document.paths[path]?.[method.toLowerCase()];
    if (!operation) return [`${method} ${path} is not published`];
    const published = operation.responses[response.status];
    if (!published) return [`${response.status} is not published for ${method} ${path}`];
    return [
      ...this.#headerFaults(published, response.headers),
      ...(await this.#bodyFaults(
        published,
        ['paths', path, method.toLowerCase(), 'responses', response.status],
        response,
      )),
    ];
  }

  /** Whether the document accepts a request body. */
  accepts(path: string, body: unknown): boolean {
    const $ref = this.#reference(['paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema']);
    return this.#validator({ $ref })(body);
  }

  #reference(parts: (string | number)[]): string {
    return `doc#/${parts.map((part) => encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
  }

  #validator(schema: object): ValidateFunction {
    const key = JSON.stringify(schema);
    const validate = this.#compiled.get(key) ?? this.#ajv.compile(schema);
    this.#compiled.set(key, validate);
    return validate;
  }

  #schemaFaults(schema: object, value: unknown, what: string): string[] {
    const validate = this.#validator(schema);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${what}${instancePath}: ${message}`);
  }

  async #bodyFaults(published: Document, at: (string | number)[], response: Response): Promise<string[]> {
    const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
    if (!published.content?.[type]) return [`content-type ${type} is not published`];
    const text = await response.text();
    const body: unknown = type === 'application/json' || type?.endsWith('+json') ? JSON.parse(text) : text;
    return this.#schemaFaults({ $ref: this.#reference([...at, 'content', type, 'schema']) }, body, 'body');
  }

  /** Validates headers with their published schemas, base64 JSON included. An unpublished header is a fault. */
  #headerFaults(published: Document, headers: Headers): string[] {
    const names = new Map(Object.keys(published.headers ?? {}).map((name) => [name.toLowerCase(), name]));
    return [...headers].flatMap(([name, value]) => {
      if (unlisted.test(name)) return [];
      const known = names.get(name);
      if (!known) return [`header ${name} is not published`];
      const { schema } = this.document.components.headers[known];
      if (schema.contentSchema) {
        const decoded: unknown = JSON.parse(Buffer.from(value, 'base64').toString('utf8'));
        return this.#schemaFaults({ $ref: `doc${schema.contentSchema.$ref}` }, decoded, known);
      }
      const read = schema.type === 'integer' ? Number(value) : value;
      return this.#schemaFaults(schema, read, known);
    });
  }
}
