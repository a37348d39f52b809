import { encodeFunctionData, erc20Abi, keccak256, parseAbi, parseSignature, parseUnits, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { startSandbox, TransactionRevertedError } from '../index.ts';
import { sendFromWallet } from '../judge/walletSender.ts';
import { createNodeClient } from '../rpc/nodeClient.ts';
import { askContract } from '../testing/askContract.ts';
import { chainOf, walletOf } from '../testing/findSeeded.ts';

const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
]);

test('default: the facilitator moves USDC by a signature of the demo wallet, and once only', async () => {
  const sandbox = await startSandbox({ chains: ['base'] });
  try {
    const chain = chainOf(sandbox, 'base');
    const from = walletOf(sandbox, 'demo');
    const to = walletOf(sandbox, 'payTo').address;
    const message = {
      from: from.address,
      to,
      value: parseUnits('0.01', 6),
      validAfter: BigInt(Math.floor(Date.now() / 1000) - 60),
      validBefore: BigInt(Math.floor(Date.now() / 1000) + 600),
      nonce: keccak256(toHex('one payment')),
    };
    const signature = await privateKeyToAccount(from.privateKey).signTypedData({
      domain: { name: 'USD Coin', version: '2', chainId: chain.chainId, verifyingContract: chain.usdc },
      primaryType: 'TransferWithAuthorization',
      types: {
        TransferWithAuthorization: [
          { name: 'from', type: 'address' },
          { name: 'to', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'validAfter', type: 'uint256' },
          { name: 'validBefore', type: 'uint256' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      message,
    });
    const { r, s, yParity } = parseSignature(signature);
    const { value, validAfter, validBefore, nonce } = message;
    const data = encodeFunctionData({
      abi,
      functionName: 'transferWithAuthorization',
      args: [from.address, to, value, validAfter, validBefore, nonce, 27 + yParity, r, s],
    });
    const settle = () =>
      sendFromWallet(createNodeClient(chain.rpcUrl), chain.chainId, walletOf(sandbox, 'facilitator'), {
        to: chain.usdc,
        data,
      });
    await settle();
    expect(await askContract(chain, { to: chain.usdc, abi: erc20Abi, name: 'balanceOf', args: [to] })).toBe(value);
    await expect(settle()).rejects.toThrow(TransactionRevertedError);
  } finally {
    await sandbox.close();
  }
});
