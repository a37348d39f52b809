import { expect, test } from 'vitest';
import { readBounded } from './readBounded.ts';

/** A body in chunks, which records how much of it was read and whether it was closed. */
function bodyOf(chunks: readonly string[], error?: Error) {
  const seen = { chunks: 0, isClosed: false };
  async function* generate(): AsyncGenerator<Uint8Array> {
    try {
      for (const chunk of chunks) {
        seen.chunks += 1;
        yield Buffer.from(chunk);
      }
      if (error) throw error;
    } finally {
      seen.isClosed = true;
    }
  }
  return { body: generate(), seen };
}

test('reads a body of exactly the limit, with a character split between chunks', async () => {
  const bytes = Buffer.from('{"a":"é"}');
  async function* split() {
    yield bytes.subarray(0, 7);
    yield bytes.subarray(7);
  }
  expect(await readBounded(split(), bytes.length, 'base-1')).toBe('{"a":"é"}');
});

test('stops at the first byte above the limit and closes the body', async () => {
  const { body, seen } = bodyOf(['12345', '678901', 'never read', 'never read']);
  const error = await readBounded(body, 10, 'base-1').catch((reason: unknown) => reason);
  expect(error).toMatchObject({ message: 'base-1 returned more than 10 bytes.', tooLarge: true, answered: false });
  expect(seen).toEqual({ chunks: 2, isClosed: true });
});

test('rejects an incomplete body with the cause', async () => {
  const cause = new Error('aborted');
  const { body } = bodyOf(['{'], cause);
  const error = await readBounded(body, 10, 'base-1').catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    message: 'base-1 closed the connection in the middle of its response.',
    cause,
    tooLarge: false,
  });
});
