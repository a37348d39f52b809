import type { Arrival } from './openLoop.ts';
import { presign } from './presign.ts';
import type { Recording } from './recordChain.ts';

/** Per hundred requests, as agents send them: most request the price, half of those pay. */
const mix = { challenge: 36, bad: 4, health: 10, cached: 26, replay: 12, cold: 10, check: 2 } as const;
/** Requested sizes near the recorded ones: more than are cached at a time, but soon all known to every cache. */
const sizes = 200;
const reserve = 40;
/** Payments expire after three minutes; older ones than this are not sent. */
const freshMs = 60_000;

interface Signed {
  header: string;
  at: number;
}

/** Mixed calls with new payments, signed shortly before use because they expire. */
export interface Traffic {
  next(): Arrival;
  close(): void;
}

export async function openTraffic(url: string, { tokenIn, tokenOut }: Recording): Promise<Traffic> {
  const kinds = (Object.keys(mix) as (keyof typeof mix)[]).flatMap((kind) =>
    Array.from({ length: mix[kind] }, () => kind),
  );
  const stocks = { '/v1/quote': [] as Signed[], '/v1/pretrade/check': [] as Signed[] };
  const question = { tokenIn, tokenOut, sizeIn: '1.5' };
  const ask = JSON.stringify(question);
  const paths = Object.keys(stocks) as (keyof typeof stocks)[];

  async function refill(): Promise<void> {
    for (const path of paths) {
      const at = Date.now();
      stocks[path] = stocks[path].filter((signed) => at - signed.at < freshMs);
      if (stocks[path].length >= reserve) continue;
      const headers = await presign(url + path, reserve);
      stocks[path].push(...headers.map((header) => ({ header, at })));
    }
  }
  await refill();
  let isRefilling = false;
  const refilling = setInterval(async () => {
    if (isRefilling) return;
    isRefilling = true;
    await refill();
    isRefilling = false;
  }, 250);

  let turn = 0;
  let size = 0;
  let paidBefore: string | undefined;
  const post = (path: keyof typeof stocks, body: object, status: number): Arrival => ({
    method: 'POST',
    path,
    body: JSON.stringify(body),
    status,
  });
  const pay = (arrival: Arrival & { path: string }): Arrival => {
    const paymentSignature = stocks[arrival.path as keyof typeof stocks].shift()?.header;
    // Without a signed payment, request the price.
    return paymentSignature ? { ...arrival, paymentSignature } : { ...arrival, status: 402 };
  };

  const makers: Record<keyof typeof mix, () => Arrival> = {
    challenge: () => post('/v1/quote', question, 402),
    bad: () => post('/v1/quote', { tokenIn: '0x12' }, 400),
    health: () => ({ method: 'GET', path: '/health', status: 200 }),
    cached() {
      const arrival = pay(post('/v1/quote', question, 200));
      paidBefore ??= arrival.paymentSignature;
      return arrival;
    },
    replay: () =>
      paidBefore === undefined
        ? post('/v1/quote', question, 402)
        : { method: 'POST', path: '/v1/quote', body: ask, paymentSignature: paidBefore, status: 200 },
    cold: () => pay(post('/v1/quote', { ...question, sizeIn: `1.5${++size % sizes}1` }, 200)),
    check: () => pay(post('/v1/pretrade/check', { token: tokenIn, sizeUSD: `1500.${++size % sizes}1` }, 200)),
  };
  return {
    // 37 and 100 are coprime: kinds are mixed evenly, and equally in every run.
    next: () => makers[kinds[(turn++ * 37) % kinds.length] ?? 'health'](),
    close: () => clearInterval(refilling),
  };
}
