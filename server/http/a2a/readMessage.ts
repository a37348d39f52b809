import { catalogue, messageExample, type PaidItem, RequestError } from '../../../router/index.ts';

type Json = Record<string, unknown>;

/**
 * The field that contains the parts: `parts` in A2A 0.3's JSON objects, `content` in its protobuf JSON, which SDKs
 * send.
 */
type MessageForm = 'parts' | 'content';

export interface SkillRequest {
  item: PaidItem;
  input: unknown;
  form: MessageForm;
  contextId: string | undefined;
}

/**
 * Reads the one data part `{skill, input}` of a `message:send` request.
 * @throws {RequestError} INVALID_REQUEST; NOT_FOUND for a task, because none is stored
 */
export function readMessage(body: unknown): SkillRequest {
  const message = isObject(body) ? body.message : undefined;
  if (!isObject(message)) throw invalid('The body has no object "message".');
  if (message.taskId)
    throw new RequestError(
      'NOT_FOUND',
      'The message has a taskId, but this agent has no tasks: it answers each message at once. Nothing was charged. Leave taskId out.',
    );
  const form = Array.isArray(message.parts) ? 'parts' : 'content';
  const parts: unknown[] = Array.isArray(message[form]) ? (message[form] as unknown[]) : [];
  const found = parts.map((part) => dataOf(part, form)).filter((data) => data !== undefined);
  const [data] = found;
  if (!data || found.length > 1) throw invalid(`The message has ${found.length} data parts.`);
  const item = catalogue.find(({ name }) => name === data.skill);
  if (!item)
    throw invalid(
      `The data part has ${typeof data.skill === 'string' ? `the unknown skill ${data.skill.slice(0, 80)}` : 'no skill'}.`,
    );
  const { contextId } = message;
  return { item, input: data.input ?? {}, form, contextId: typeof contextId === 'string' ? contextId : undefined };
}

/** The content of a data part: `{kind: 'data', data}`, in protobuf JSON `{data: {data}}`. */
function dataOf(part: unknown, form: MessageForm): Json | undefined {
  if (!isObject(part) || !isObject(part.data)) return undefined;
  if (form === 'parts') return part.data;
  return isObject(part.data.data) ? part.data.data : undefined;
}

const invalid = (seen: string) =>
  new RequestError(
    'INVALID_REQUEST',
    `${seen} Nothing was charged. Send one data part with skill (${catalogue.map(({ name }) => name).join(' or ')}) and input, like exampleRequest.`,
    { exampleRequest: messageExample },
  );

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
