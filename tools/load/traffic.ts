import type { Arrival } from './openLoop.ts';
import { presign } from './presign.ts';
import type { Recording } from './recordChain.ts';

/** Number of requests of each kind per 100. */
const mix = { challenge: 36, bad: 4, health: 10, cached: 26, replay: 12, cold: 10, check: 2 } as const;
/** Number of different sizes: more than are cached at a time, and few enough that memory use reaches a plateau. */
const sizes = 200;
/** Number of signed payments kept for each path. */
const reserve = 40;
/** Maximum age of a signed payment; payments expire after three minutes. */
const maxAgeMs = 60_000;

interface Signed {
  header: string;
  at: number;
}

/** A source of mixed requests. Signs payments shortly before use, because they expire. */
export interface Traffic {
  next(): Arrival;
  /** Stops signing payments. */
  close(): void;
}

/** @param url of the service, without a path */
export async function openTraffic(url: string, { tokenIn, tokenOut }: Recording): Promise<Traffic> {
  const kinds = (Object.keys(mix) as (keyof typeof mix)[]).flatMap((kind) =>
    Array.from({ length: mix[kind] }, () => kind),
  );
  const payments = { '/v1/quote': [] as Signed[], '/v1/pretrade/check': [] as Signed[] };
  const question = { tokenIn, tokenOut, sizeIn: '1.5' };
  const questionBody = JSON.stringify(question);
  const paths = Object.keys(payments) as (keyof typeof payments)[];

  async function refill(): Promise<void> {
    for (const path of paths) {
      const at = Date.now();
      payments[path] = payments[path].filter((signed) => at - signed.at < maxAgeMs);
      if (payments[path].length >= reserve) continue;
      const headers = await presign(url + path, reserve);
      payments[path].push(...headers.map((header) => ({ header, at })));
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
  const post = (path: keyof typeof payments, body: object, status: number): Arrival => ({
    method: 'POST',
    path,
    body: JSON.stringify(body),
    status,
  });
  const pay = (arrival: Arrival & { path: string }): Arrival => {
    const paymentSignature = payments[arrival.path as keyof typeof payments].shift()?.header;
    // Without a signed payment the request is unpaid.
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
        : { method: 'POST', path: '/v1/quote', body: questionBody, paymentSignature: paidBefore, status: 200 },
    cold: () => pay(post('/v1/quote', { ...question, sizeIn: `1.5${++size % sizes}1` }, 200)),
    check: () => pay(post('/v1/pretrade/check', { token: tokenIn, sizeUSD: `1500.${++size % sizes}1` }, 200)),
  };
  return {
    // 37 and 100 are coprime, so every 100 requests contain each kind as often as `mix`, in the same order.
    next: () => makers[kinds[(turn++ * 37) % kinds.length] ?? 'health'](),
    close: () => clearInterval(refilling),
  };
}
