import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';

/** `fetch` over one HTTP/2 connection: that of Node uses HTTP/1.1 only. */
export interface Http2Fetch {
  fetch: typeof fetch;
  close(): Promise<void>;
}

/** @param ca certificate to trust, in PEM */
export function openHttp2(url: string, ca: string): Http2Fetch {
  const session = connect(url, { ca });
  return {
    fetch: (input, init) => send(session, new Request(input, init)),
    close: () => new Promise((resolve) => session.close(resolve)),
  };
}

async function send(session: ClientHttp2Session, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const body = Buffer.from(await request.arrayBuffer());
  const stream = session.request(
    { ...Object.fromEntries(request.headers), ':method': request.method, ':path': pathname + search },
    { endStream: false },
  );
  stream.end(body);
  const [head] = (await once(stream, 'response')) as [Record<string, string | number | undefined>];
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  const headers = Object.entries(head).flatMap(([name, value]): [string, string][] =>
    name.startsWith(':') ? [] : [[name, String(value)]],
  );
  const status = Number(head[':status']);
  return new Response(status === 204 || status === 304 ? null : Buffer.concat(chunks), { status, headers });
}
