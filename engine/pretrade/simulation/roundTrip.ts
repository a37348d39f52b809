import { concatHex, isHex, numberToHex, size } from 'viem';
import { resultOf } from '../../chain/batch.ts';
import { randomAddress } from '../../chain/lensCall.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { decodeWords, encodeWords } from '../../chain/words.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { routerStandInArtifact } from '../lensCode.ts';
import {
  ordinaryGasPrice,
  randomMeans,
  type ScenarioResult,
  type SimulationBase,
  type Step,
  type TradePlan,
} from './simulationTypes.ts';
import { toRow } from './standIns.ts';
import { selectors } from './toCall.ts';

/** The result's name; see `weighTransferability`. */
export const oneCall = 'one-call';

const gas = numberToHex(10_000_000);

/**
 * Purchase and sale in one `eth_call`, by a wallet that is a contract. What works there works; what fails may work for
 * an ordinary wallet in a later block. Undefined if the counter-asset is not the native one: no account could pay.
 */
export function toRoundTripCall(
  { pool, spend, funder }: TradePlan,
  base: SimulationBase,
  wrapped: LowerAddress,
): RpcCall | undefined {
  if (funder !== null) return undefined;
  const [trader, payer] = [randomAddress(), randomAddress()];
  // The wallet approves itself, so no other account pulls.
  const own = { ...pool, puller: null };
  const row = toRow(own, wrapped);
  const data = encodeWords(selectors.roundTrip, [BigInt(size(row)), pool.token, spend]);
  // The node's own base fee applies, which may have risen.
  const gasPrice = base.baseFee / 4n + ordinaryGasPrice(base);
  const spare = BigInt(gas) * gasPrice + randomMeans().spare;
  const overrides = {
    [trader]: { code: concatHex([routerStandInArtifact.runtime, row]) },
    [payer]: { balance: numberToHex(2n * spend + spare) },
  };
  return {
    method: 'eth_call',
    // Without a gas price, the price and the block's base fee would be 0, which a token can recognise.
    params: [
      { from: payer, to: trader, value: numberToHex(spend), gas, gasPrice: numberToHex(gasPrice), data },
      base.block,
      overrides,
    ],
  };
}

/** Only what worked; a sale that failed is left out, because it proves nothing. */
export function fromRoundTrip({ spend }: TradePlan, reply: RpcReply | undefined): ScenarioResult {
  const result = resultOf(reply);
  const words = isHex(result) ? decodeWords(result) : [];
  const [paid, nominal, received, sold, sent = 0n, arrived = 0n, quoted = 0n, proceeds = 0n] = words;
  if (paid === undefined || nominal === undefined || received === undefined || received === 0n) {
    return { status: 'unread', name: oneCall, reason: 'no purchase could be made in one call' };
  }
  const buy: Step = { what: 'buy', at: 'purchase', amount: spend };
  const sell: Step = { what: 'sell', at: 'purchase', who: 'trader', bps: 10_000 };
  return {
    status: 'ran',
    name: oneCall,
    steps: [
      { step: buy, result: { what: 'buy', ok: true, paid, nominal, received } },
      ...(sold === 1n && proceeds > 0n
        ? [{ step: sell, result: { what: 'sell', ok: true, sent, arrived, quoted, received: proceeds } as const }]
        : []),
    ],
  };
}
