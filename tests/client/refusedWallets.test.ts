import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { createTruefillClient } from '../../client/index.ts';

test('security: rejects an invalid wallet at creation and never prints a key', () => {
  const canary = `0x${'c0ffee'.repeat(10)}beef`;
  for (const wallet of [canary, [canary], { privateKey: canary }, Buffer.from(canary), null, undefined, () => canary]) {
    let thrown: unknown;
    try {
      createTruefillClient({ url: 'http://127.0.0.1:1', wallet: wallet as never });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(TypeError);
    expect(String(thrown)).toContain('privateKeyToAccount');
    expect(inspect(thrown, { depth: 10 })).not.toMatch(/c0ffee|636f66666565/i);
  }
});
