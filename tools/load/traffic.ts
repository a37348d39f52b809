import type { Arrival } from './openLoop.ts';
import { presign } from './presign.ts';
import type { Recording } from './recordChain.ts';

/** Per hundred requests, as agents send them: most request the price, half of those pay. */
const mix = { challenge: 36, bad: 4, health: 10, cached: 26, replay: 12, cold: 12 } as const;
/** Requested sizes near the recorded ones: more than are cached at a time, but soon all known to every cache. */
const sizes = 200;
/** Number of signed payments that are kept. */
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
  let stock: Signed[] = [];
  const quoteInput = { tokenIn, tokenOut, sizeIn: '1.5' };
  const path = '/v1/quote';

  async function refill(): Promise<void> {
    const at = Date.now();
    stock = stock.filter((signed) => at - signed.at < maxAgeMs);
    if (stock.length >= reserve) return;
    const headers = await presign(url + path, reserve);
    stock.push(...headers.map((header) => ({ header, at })));
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
  const post = (body: object, status: number): Arrival => ({
    method: 'POST',
    path,
    body: JSON.stringify(body),
    status,
  });
  const pay = (arrival: Arrival): Arrival => {
    const paymentSignature = stock.shift()?.header;
    // Without a signed payment, request the price.
    return paymentSignature ? { ...arrival, paymentSignature } : { ...arrival, status: 402 };
  };

  const makers: Record<keyof typeof mix, () => Arrival> = {
    challenge: () => post(quoteInput, 402),
    bad: () => post({ tokenIn: '0x12' }, 400),
    health: () => ({ method: 'GET', path: '/health', status: 200 }),
    cached() {
      const arrival = pay(post(quoteInput, 200));
      paidBefore ??= arrival.paymentSignature;
      return arrival;
    },
    replay: () =>
      paidBefore === undefined ? post(quoteInput, 402) : { ...post(quoteInput, 200), paymentSignature: paidBefore },
    cold: () => pay(post({ ...quoteInput, sizeIn: `1.5${++size % sizes}1` }, 200)),
  };
  return {
    // 37 and 100 are coprime, so every 100 requests contain each kind as often as `mix`, in the same order.
    next: () => makers[kinds[(turn++ * 37) % kinds.length] ?? 'health'](),
    close: () => clearInterval(refilling),
  };
}
