import { type Address, encodeFunctionData, erc20Abi, type Hex, maxUint256, numberToHex } from 'viem';
import { VerificationError } from '../trade/errors.ts';
import { NodeError, type Rpc } from './rpc.ts';

/** State overrides of `eth_call`, by account. */
export type StateOverride = Record<Address, { code?: Hex; balance?: Hex; stateDiff?: Record<Hex, Hex> }>;

interface Funding {
  rpc: Rpc;
  block: Hex;
  token: Address;
  payer: Address;
  spender: Address;
  amount: bigint;
}

/** A value for tokens that store shares instead of balances: more than the shares of any amount. */
const largeShare = 2n ** 255n - 1n;

/**
 * Finds the state override that gives `payer` the amount and an allowance for `spender`. eth_createAccessList returns the
 * storage slots that `balanceOf` and `allowance` read; each is overridden until the token reports enough.
 * @throws {VerificationError} cannot-fund
 */
export async function fundPayer({ rpc, block, token, payer, spender, amount }: Funding): Promise<StateOverride> {
  const balanceOf = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [payer] });
  const allowance = encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [payer, spender] });
  const find = (data: Hex, values: readonly bigint[]) => findSlot({ rpc, block, token, data, amount, values });
  const held = await find(balanceOf, [amount, largeShare]);
  const approved = await find(allowance, [maxUint256, amount]);
  const override: StateOverride = { [held.contract]: { stateDiff: { [held.slot]: held.value } } };
  const stateDiff = { ...override[approved.contract]?.stateDiff, [approved.slot]: approved.value };
  return { ...override, [approved.contract]: { stateDiff } };
}

interface SlotSearch {
  rpc: Rpc;
  block: Hex;
  token: Address;
  data: Hex;
  amount: bigint;
  values: readonly bigint[];
}

async function findSlot({ rpc, block, token, data, amount, values }: SlotSearch) {
  const call = { to: token, data };
  for (const value of values) {
    for (const { contract, slot } of await readSlots(rpc, block, call)) {
      const stored = numberToHex(value, { size: 32 });
      const override: StateOverride = { [contract]: { stateDiff: { [slot]: stored } } };
      const read = await rpc<Hex>('eth_call', [call, block, override]).catch(undefinedOnNodeError);
      if (read !== undefined && read.length >= 66 && BigInt(read.slice(0, 66)) >= amount) {
        return { contract, slot, value: stored };
      }
    }
  }
  throw new VerificationError(
    'cannot-fund',
    `No storage slot of ${token} gives a test account the amount: the token stores balances in an unusual way.`,
  );
}

async function readSlots(rpc: Rpc, block: Hex, call: object): Promise<{ contract: Address; slot: Hex }[]> {
  type AccessList = { accessList?: { address: Address; storageKeys: Hex[] }[] };
  try {
    const { accessList = [] } = await rpc<AccessList>('eth_createAccessList', [call, block]);
    return accessList.flatMap(({ address, storageKeys }) => storageKeys.map((slot) => ({ contract: address, slot })));
  } catch (cause) {
    if (!(cause instanceof NodeError)) throw cause;
    const message = `The node does not support eth_createAccessList, which finds the token's balances: ${cause.message}.`;
    throw new VerificationError('cannot-fund', message, { cause });
  }
}

/** A wrong override may make the token revert; the caller then tries the next slot. */
function undefinedOnNodeError(error: unknown): undefined {
  if (!(error instanceof NodeError)) throw error;
}
