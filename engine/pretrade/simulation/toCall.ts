import { type Hex, maxUint256, numberToHex } from 'viem';
import { encodeWords, toBytes } from '../../chain/words.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { kinds } from '../../venues/kinds.ts';
import type { Scenario, Step } from './simulationTypes.ts';
import { cloner, ownerOf, type PoolRows } from './standIns.ts';

/** Gas limit of a transaction (EIP-7825): no account can use a power that needs more. */
const callGas = numberToHex(2 ** 24);
/**
 * Selectors of ERC-20, pairs and the stand-ins (contracts/lens/standIn). `balanceOf` is the stand-ins', `tokenBalanceOf`
 * ERC-20's. engine/pretrade/selectors.test.ts compares them with the ABIs.
 */
export const selectors = {
  approve: '0x095ea7b3',
  transfer: '0xa9059cbb',
  totalSupply: '0x18160ddd',
  buy: '0xa6f2ae3a',
  sell: '0x45710074',
  balanceOf: '0x722713f7',
  tokenBalanceOf: '0x70a08231',
  execute: '0x61461954',
  sync: '0xfff6cae9',
  roundTrip: '0x9fb281c4',
} as const;

/** Calls that transfer the counter-asset of a purchase from the funder to the stand-in; none if native coin pays it. */
export function toFunding({ pool, funder, means }: Scenario, amount: bigint, wrapped: LowerAddress) {
  if (pool.counter === wrapped || funder === null) return [];
  const gas = numberToHex(means.gas);
  const data = encodeWords(selectors.transfer, [pool.router, amount]);
  const transfer = { call: { from: funder, to: pool.counter, gas, data } };
  // A pair that funds the purchase must sync its reserves, otherwise its invariant check reverts the purchase.
  const isPair = pool.kind === kinds.v2 || pool.kind === kinds.solidly || pool.kind === kinds.solidlyPair;
  if (!isPair || funder !== pool.pool) return [transfer];
  return [transfer, { call: { from: cloner, to: pool.pool, gas, data: selectors.sync } }];
}

/** The transaction of one step. */
export function toCall(scenario: Scenario, step: Step, rows: PoolRows): object {
  const { pool, trader, receiver } = scenario;
  const price = { gas: numberToHex(scenario.means.gas), gasPrice: numberToHex(scenario.gasPrice) };
  const walletOf = (account: 'trader' | 'receiver') => (account === 'trader' ? trader : receiver);
  switch (step.action) {
    case 'buy': {
      const data = toOrder(selectors.buy, rows.find(pool), toDigits(step.amount));
      return sentBy(scenario, trader, pool.router, data, rows.isNative(pool) ? step.amount : 0n);
    }
    case 'sell': {
      const wallet = walletOf(step.account);
      const data = toOrder(selectors.sell, rows.find(pool), toDigits(BigInt(step.bps)));
      const gasPrice = scenario.gasPrice + (step.moreTip ?? 0n);
      const means = { ...scenario.means, gas: step.gas ?? scenario.means.gas };
      return sentBy({ ...scenario, gasPrice, means }, wallet, pool.router, data);
    }
    case 'approve': {
      // Tokens with 96-bit allowances (UNI, COMP) accept 2^256 - 1 as unlimited and reject other large amounts.
      const data = encodeWords(selectors.approve, [pool.puller ?? pool.router, maxUint256]);
      return sentBy(scenario, walletOf(step.account), pool.token, data);
    }
    case 'transfer': {
      const data = encodeWords(selectors.transfer, [receiver, step.amount]);
      return sentBy(scenario, trader, pool.token, data);
    }
    case 'balance': {
      const holder = step.account === 'trader' || step.account === 'receiver' ? walletOf(step.account) : step.account;
      const call = { from: receiver, ...price };
      if (scenario.wallet === 'bare') {
        return { ...call, to: pool.token, data: encodeWords(selectors.tokenBalanceOf, [holder]) };
      }
      return { ...call, to: pool.router, data: toOrder(selectors.balanceOf, rows.find(pool), holder.slice(2)) };
    }
    case 'route':
      return {
        from: trader,
        to: pool.router,
        ...price,
        ...(step.value > 0n && { value: numberToHex(step.value) }),
        data: step.data,
      };
    case 'supply':
      return { from: receiver, to: pool.token, ...price, data: selectors.totalSupply };
    case 'call':
      return { from: step.from, to: pool.token, gas: callGas, data: step.data };
  }
}

/**
 * Calldata of a stand-in (`_order` of StandIn.sol): two bytes for the row, then the value without leading zero bytes.
 */
const toOrder = (selector: Hex, row: bigint, value: string): Hex => `${selector}${toBytes(row, 2)}${value}`;

function toDigits(value: bigint): string {
  const digits = value.toString(16);
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}

/** A transaction of the wallet; of its owner through `execute` if the wallet is a contract (WalletStandIn.sol). */
function sentBy(scenario: Scenario, wallet: LowerAddress, to: LowerAddress, data: Hex, value = 0n): object {
  const { gasPrice, means } = scenario;
  const price = { gas: numberToHex(means.gas), gasPrice: numberToHex(gasPrice) };
  const rest = { ...price, ...(value > 0n && { value: numberToHex(value) }) };
  if (scenario.wallet !== 'contract' || wallet !== scenario.trader) return { from: wallet, to, ...rest, data };
  return { from: ownerOf(wallet), to: wallet, ...rest, data: `${selectors.execute}${to.slice(2)}${data.slice(2)}` };
}
