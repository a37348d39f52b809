import { setTimeout as sleep } from 'node:timers/promises';
import type { Address, Hex } from 'viem';
import type { SandboxChain } from '../../../sandbox/index.ts';
import { postJson, signOffer, usdcOf } from '../../support/buyer.ts';
import type { Profile } from './profileTypes.ts';

export interface PaidCall {
  name: string;
  path: '/v1/quote' | '/v1/pretrade/check';
  body: Record<string, unknown>;
}

export interface PaidAnswer {
  call: PaidCall;
  /** The body of HTTP 200; undefined if none came within three tries and 30 s. */
  answer: Record<string, unknown> | undefined;
  /** Status and detail of each failed try. */
  failures: string[];
  charged: bigint;
  ms: number;
}

type Chains = Record<'base' | 'polygon' | 'arbitrum', SandboxChain>;

/** Checks of the six kinds of tokens that a lost simulation, log or read would change. */
const checkedTokens = ['DRAINED', 'NOPOOL', 'TAX5', 'PLAIN', 'PAUSED', 'LISTED'];

/** Nine quotes on three chains and six checks. */
export function paidCalls(chains: Chains): PaidCall[] {
  const quotes = Object.entries(chains).flatMap(([chain, { wrappedNative, usdc }]) => {
    const quote = (name: string, body: object): PaidCall => ({
      name: `${chain} ${name}`,
      path: '/v1/quote',
      body: { chain, ...body },
    });
    return [
      quote('small', { tokenIn: wrappedNative, tokenOut: usdc, sizeIn: '1.25' }),
      quote('large', { tokenIn: wrappedNative, tokenOut: usdc, sizeIn: '400' }),
      quote('by value', { tokenIn: usdc, tokenOut: wrappedNative, sizeUSD: '2500' }),
    ];
  });
  const checks = checkedTokens.map(
    (symbol): PaidCall => ({
      name: `check ${symbol}`,
      path: '/v1/pretrade/check',
      body: { token: tokenOf(chains.base, symbol) },
    }),
  );
  return [...quotes, ...checks];
}

function tokenOf({ tokens }: SandboxChain, symbol: string): Address {
  const found = tokens.find((token) => token.symbol === symbol);
  if (!found) throw new TypeError(`There is no ${symbol}.`);
  return found.address;
}

const tries = 3;
const patienceMs = 30_000;
const longestPauseMs = 6_000;

/** Pays for one call on Base. After a 503 the same signature is sent again, as the response advises. */
export async function buy(
  url: string,
  call: PaidCall,
  { payer, payTo, base }: { payer: { privateKey: Hex }; payTo: Address; base: SandboxChain },
): Promise<PaidAnswer> {
  const startedAt = Date.now();
  const before = await usdcOf(base, payTo);
  const failures: string[] = [];
  let answer: PaidAnswer['answer'];
  let signature: Awaited<ReturnType<typeof signOffer>> | undefined;
  for (let count = 0; count < tries && !answer && Date.now() - startedAt < patienceMs; count += 1) {
    try {
      signature ??= await signOffer(url + call.path, payer);
    } catch {
      failures.push('no offer');
    }
    if (!signature) {
      await sleep(1_000);
      continue;
    }
    const response = await postJson(url + call.path, call.body, signature);
    const text = await response.text();
    if (response.status === 200) answer = JSON.parse(text) as Record<string, unknown>;
    else {
      failures.push(`${response.status} ${detailOf(text)}`);
      const seconds = Number(response.headers.get('retry-after') ?? 1);
      if (count + 1 < tries) await sleep(Math.min(seconds * 1000, longestPauseMs));
    }
  }
  return { call, answer, failures, charged: (await usdcOf(base, payTo)) - before, ms: Date.now() - startedAt };
}

function detailOf(text: string): string {
  try {
    return String((JSON.parse(text) as { detail?: unknown }).detail ?? text.slice(0, 200));
  } catch {
    return text.slice(0, 200);
  }
}

/** The fields that must be as on the plain node. Undefined if the answer is. */
export function differenceOf(
  { name, path }: PaidCall,
  answer: Record<string, unknown>,
  plain: Record<string, unknown>,
  { allows }: Pick<Profile, 'allows'>,
): string | undefined {
  const compared = path === '/v1/quote' ? quoteFields : checkFields;
  for (const [field, read] of Object.entries(compared)) {
    const [seen, expected] = [read(answer), read(plain)];
    const isLower = allows === 'quoters, checks uncharged' && path === '/v1/quote';
    if (isLower && (field !== 'amountOut' || Number(seen) <= Number(expected))) continue;
    const { conclusive } = (answer.liquidityCoverage ?? {}) as { conclusive?: boolean };
    const isInconclusive = seen === 'clear' && conclusive === false && allows?.startsWith('inconclusive checks');
    if (field === 'verdict' && isInconclusive) return undefined;
    if (!isSame(seen, expected))
      return `${name}: ${field} ${JSON.stringify(seen)} instead of ${JSON.stringify(expected)}`;
  }
  return undefined;
}

type Read = (answer: Record<string, unknown>) => unknown;

const at =
  (...path: string[]): Read =>
  (answer) =>
    path.reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], answer);

const quoteFields: Record<string, Read> = { amountOut: at('amountOut'), confidence: at('confidence') };

const checkFields: Record<string, Read> = {
  verdict: at('verdict'),
  confidence: at('confidence'),
  outcome: at('risk_profile', 'transferability', 'outcome'),
  sellTax: at('risk_profile', 'transferability', 'sellTaxRaw'),
  buyTax: at('risk_profile', 'transferability', 'buyTaxRaw'),
};

/** Amounts and taxes may differ by rounding, and by a pool's fee that depends on the block. */
const tolerance = 1e-3;

function isSame(seen: unknown, expected: unknown): boolean {
  if (seen === expected) return true;
  const [a, b] = [Number(seen), Number(expected)];
  if (seen === null || expected === null || Number.isNaN(a) || Number.isNaN(b)) return false;
  return Math.abs(a - b) <= tolerance * Math.max(Math.abs(b), 1e-3);
}
