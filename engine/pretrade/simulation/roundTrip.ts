import { concatHex, isHex, numberToHex, size } from 'viem';
import { roundTripWalletArtifact } from '../../../contracts/artifacts/lens/RoundTripWallet.ts';
import { resultOf } from '../../chain/batch.ts';
import { randomAddress } from '../../chain/lensCall.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { decodeWords, encodeWords } from '../../chain/words.ts';
import {
  ordinaryGasPrice,
  randomMeans,
  type ScenarioResult,
  type SimulationBase,
  type Step,
  type TradePlan,
} from './simulationTypes.ts';
import { standInOf, toRow } from './standIns.ts';
import { selectors } from './toCall.ts';

/** Name of the scenario; see `weighTransferability`. */
export const oneCall = 'one-call';

const gas = numberToHex(10_000_000);

/**
 * Purchase and sale in one `eth_call`, by a wallet that is a contract. Success is proof; after a failure, an ordinary wallet
 * may still be able to trade in later blocks. Undefined unless native coin can pay: no account could provide the rest.
 */
export function toRoundTripCall({ pool, spend, funder }: TradePlan, base: SimulationBase): RpcCall | undefined {
  if (funder !== null) return undefined;
  // The stand-in has a random address: the token may trade through the real router during its transfer.
  const [trader, payer, router] = [randomAddress(), randomAddress(), randomAddress()];
  // No other contract pulls the token for this router.
  const row = toRow({ ...pool, puller: null });
  const data = encodeWords(selectors.roundTrip, [router, BigInt(size(row)), pool.token, spend]);
  // The block's own base fee applies. It may have risen.
  const gasPrice = base.baseFee / 4n + ordinaryGasPrice(base);
  const spare = BigInt(gas) * gasPrice + randomMeans().spare;
  const overrides = {
    [trader]: { code: roundTripWalletArtifact.runtime },
    [router]: { code: concatHex([standInOf(pool.kind), row]) },
    [payer]: { balance: numberToHex(2n * spend + spare) },
  };
  return {
    method: 'eth_call',
    // Without a gas price, nodes set gas price and base fee to 0, which a token can detect.
    params: [
      { from: payer, to: trader, value: numberToHex(spend), gas, gasPrice: numberToHex(gasPrice), data },
      base.block,
      overrides,
    ],
  };
}

/** Decodes a round trip. Omits a failed sale, because it proves nothing. */
export function fromRoundTrip({ spend }: TradePlan, reply: RpcReply | undefined): ScenarioResult {
  const result = resultOf(reply);
  const words = isHex(result) ? decodeWords(result) : [];
  const [paid, nominal, received, sold, sent = 0n, arrived = 0n, quoted = 0n, proceeds = 0n] = words;
  if (paid === undefined || nominal === undefined || received === undefined || received === 0n) {
    return { status: 'unread', name: oneCall, reason: 'no purchase could be made in one call' };
  }
  const buy: Step = { action: 'buy', at: 'purchase', amount: spend };
  const sell: Step = { action: 'sell', at: 'purchase', account: 'trader', bps: 10_000 };
  return {
    status: 'ran',
    name: oneCall,
    steps: [
      { step: buy, result: { action: 'buy', ok: true, paid, nominal, received } },
      ...(sold === 1n && proceeds > 0n
        ? [{ step: sell, result: { action: 'sell', ok: true, sent, arrived, quoted, received: proceeds } as const }]
        : []),
    ],
  };
}
