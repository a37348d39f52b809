import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

// A server that speaks PostgreSQL's wire protocol, and replies and fails as a test sets.

/** A message of the protocol: its type, its length and its body. */
function message(type: string, body: Buffer = Buffer.alloc(0)): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}
const int = (value: number, bytes: 2 | 4): Buffer => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeIntBE(value, 0, bytes);
  return buffer;
};
const ready = message('Z', Buffer.from('I'));
export const errorOf = (code: string, text = 'failed at db.internal') =>
  Buffer.concat([message('E', Buffer.from(`SERROR\0VERROR\0C${code}\0M${text}\0\0`)), ready]);
export const done = Buffer.concat([message('C', Buffer.from('SET\0')), ready]);
/** One row with one value, of BIGINT or another type. */
export function rowOf(value: string | null, type = 20): Buffer {
  const column = Buffer.concat([
    Buffer.from('version\0'),
    int(0, 4),
    int(0, 2),
    int(type, 4),
    int(8, 2),
    int(-1, 4),
    int(0, 2),
  ]);
  const text = value === null ? int(-1, 4) : Buffer.concat([int(value.length, 4), Buffer.from(value)]);
  return Buffer.concat([
    message('T', Buffer.concat([int(1, 2), column])),
    message('D', Buffer.concat([int(1, 2), text])),
    message('C', Buffer.from('SELECT 1\0')),
    ready,
  ]);
}

export type Reply = Buffer | 'break' | 'silence';

/** Text of a statement, from a simple query or from the Parse message of an extended one. */
function textOf(data: Buffer): string {
  const text = data.subarray(5).toString('latin1');
  const [first = '', second = ''] = text.split('\0');
  return data[0] === 0x50 ? second : first;
}

/** Values of the Bind message that follows a Parse message, as text. */
function valuesIn(data: Buffer): string[] {
  const bind = data[0] === 0x50 ? data.subarray(1 + data.readInt32BE(1)) : undefined;
  if (bind?.[0] !== 0x42) return [];
  // After type and length: the names of portal and statement, which are empty, then the formats.
  let at = 7 + 2 + 2 * bind.readInt16BE(7);
  const count = bind.readInt16BE(at);
  at += 2;
  return Array.from({ length: count }, () => {
    const length = bind.readInt32BE(at);
    const value = bind.subarray(at + 4, at + 4 + length).toString();
    at += 4 + length;
    return value;
  });
}

/** Starts a server. @param answer the reply to a statement, which is the `count`th */
export async function startPostgresServer(answer: (text: string, count: number) => Reply) {
  const seen = { statements: [] as string[], values: [] as string[], connections: 0, open: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    seen.connections += 1;
    seen.open += 1;
    let isStarted = false;
    socket.on('error', () => undefined);
    socket.on('close', () => {
      seen.open -= 1;
    });
    socket.on('data', (data) => {
      if (!isStarted) {
        isStarted = true;
        return void socket.write(Buffer.concat([message('R', Buffer.alloc(4)), ready]));
      }
      // A terminating client.
      if (data[0] === 0x58) return void socket.end();
      const text = textOf(data);
      seen.values.push(...valuesIn(data));
      const reply = answer(text, seen.statements.push(text));
      if (reply === 'break') return void socket.destroy();
      if (reply !== 'silence') socket.write(reply);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `postgres://me:s3cret@127.0.0.1:${(server.address() as AddressInfo).port}/db`,
    seen,
    sockets,
    breakConnections,
    close() {
      breakConnections();
      server.close();
    },
  };
}
