import { type Abi, encodeDeployData, type Hex } from 'viem';

/** Creation code with its constructor's arguments behind it. */
export function creationCode(contract: { abi: unknown; bytecode: Hex }, args: readonly unknown[] = []): Hex {
  return encodeDeployData({ abi: contract.abi as Abi, bytecode: contract.bytecode, args });
}
