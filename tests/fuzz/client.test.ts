import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCommandLine } from '../../client/cli/commandLine.ts';
import { showCheck } from '../../client/cli/showCheck.ts';
import { showHealth } from '../../client/cli/showHealth.ts';
import { showQuote } from '../../client/cli/showQuote.ts';
import { UsageError } from '../../client/cli/usageError.ts';
import { decodeHeader, toReceipt } from '../../client/pay/receipt.ts';
import { toCheck } from '../../client/toCheck.ts';
import type { Health, Quote } from '../../client/wire.ts';
import { catalogue } from '../../router/index.ts';
import { hostileJson, hostileText } from './arbitraries.ts';
import { beginFuzz } from './beginFuzz.ts';

const { numRuns } = beginFuzz();

const controls = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const exampleOf = (name: string) => catalogue.find((item) => item.name === name)?.exampleAnswer;
const health: Health = {
  status: 'ok',
  version: '1',
  mode: 'live',
  notice: 'n',
  chains: { base: { status: 'ok', blockNumber: '1', executor: 'deployed' as const, lenses: 'deployed' as const } },
  executor: { version: 1, address: '0x1', codeHash: '0x2' },
  database: 'ok',
  payment: { networks: ['eip155:8453'], settlement: { 'eip155:8453': 'ok' }, gas: { 'eip155:8453': 'ok' } },
};

/** The same answer with one text replaced; texts that contain numbers stay. */
function withText(value: unknown, text: string, at: { left: number }): unknown {
  if (typeof value === 'string' && !/^\d+$/.test(value)) {
    at.left -= 1;
    return at.left === -1 ? text : value;
  }
  if (Array.isArray(value)) return value.map((part) => withText(part, text, at));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      at.left -= 1;
      return [at.left === -1 ? text : key, withText(part, text, at)];
    }),
  );
}

test.each([
  ['a quote', exampleOf('quote'), (answer: unknown) => showQuote(answer as Quote)],
  ['a check', exampleOf('pretradeCheck'), (answer: unknown) => showCheck(toCheck(answer as Record<string, unknown>))],
  ['health', health, (answer: unknown) => showHealth(answer as Health)],
])('behavior: sanitizes any text anywhere in %s for a terminal', (_case, answer, show) => {
  const lines = show(answer).split('\n').length;
  fc.assert(
    fc.property(hostileText, fc.nat(400), (text, left) => {
      let shown: string[];
      try {
        shown = show(withText(answer, text, { left })).split('\n');
      } catch (error) {
        // The text replaced a required field's value, so the answer is invalid.
        expect(error instanceof TypeError || error instanceof RangeError, String(error)).toBe(true);
        return;
      }
      for (const line of shown) expect(line).not.toMatch(controls);
      // One more: a text in place of `outcome` causes a trade warning.
      expect(shown.length).toBeLessThanOrEqual(lines + 1);
    }),
    { numRuns: numRuns * 2 },
  );
});

const argument = fc.oneof(
  hostileText,
  fc.constantFrom('quote', 'check', 'health', 'mcp', '--size', '--usd', '1', '--url', 'http://x', '--json', '--', '-h'),
  fc.constantFrom(
    '--url=http://[',
    '--max-usd=-1',
    '--max-usd=1e400',
    '--max-usd= ',
    '--resume={',
    '--__proto__=1',
    '-',
  ),
);

test('error: returns options with a valid URL and limits, or throws UsageError, for any command line', () => {
  fc.assert(
    fc.property(fc.array(argument, { maxLength: 7 }), (args) => {
      try {
        const { name, options } = readCommandLine(args, {});
        expect(['quote', 'check', 'health', 'mcp', 'help', 'version']).toContain(name);
        expect(URL.canParse(options.url)).toBe(true);
        if (options.maxUsd !== undefined) expect(Number.isFinite(options.maxUsd) && options.maxUsd >= 0).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
      }
    }),
  );
});

test('behavior: reads a receipt from any header, and reports a free call only when the header does', () => {
  const base64 = fc.oneof(
    hostileJson.map((value) => Buffer.from(JSON.stringify(value)).toString('base64')),
    fc.stringMatching(/^[A-Za-z0-9+/=_-]{0,80}$/),
    fc.stringMatching(/^[\x21-\x7e]{0,40}$/),
  );
  fc.assert(
    fc.property(fc.option(base64), fc.double({ min: 0, max: 1, noNaN: true }), (header, priceUsd) => {
      const headers = new Headers(header === null ? {} : { 'payment-response': header });
      const decoded = decodeHeader(header) as { extra?: { freeTrial?: unknown } } | null | undefined;
      const receipt = toReceipt(headers, priceUsd);
      expect(receipt.free).toBe(decoded?.extra?.freeTrial === true);
      expect(receipt.paidUsd).toBe(receipt.free ? 0 : priceUsd);
    }),
  );
});
