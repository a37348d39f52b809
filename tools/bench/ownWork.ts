import { percentile } from './statistics.ts';

/** CPU time of this process per quote. The chain runs in another process, and the proxy is not used. */
export interface OwnWork {
  method: string;
  quotes: number;
  cpuMicrosP50: number;
  cpuMicrosMean: number;
}

/** A quote to measure; `prepare` runs before each and is not measured. */
interface MeasuredQuote {
  name: string;
  ask: (amountIn: bigint) => Promise<void>;
  amountIn: bigint;
  prepare?: () => Promise<unknown>;
}

export async function measureOwnWork(
  { name, ask, amountIn, prepare }: MeasuredQuote,
  quotes: number,
): Promise<OwnWork> {
  const samples: number[] = [];
  for (let at = 0; at < quotes; at++) {
    await prepare?.();
    const before = process.cpuUsage();
    await ask(amountIn + 10n ** 12n + BigInt(at));
    const { user, system } = process.cpuUsage(before);
    samples.push(user + system);
  }
  const mean = samples.reduce((sum, micros) => sum + micros, 0) / quotes;
  return {
    method: name,
    quotes,
    cpuMicrosP50: Math.round(percentile(samples, 0.5)),
    cpuMicrosMean: Math.round(mean),
  };
}
