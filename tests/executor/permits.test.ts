import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  parseAbi,
  parseAbiParameters,
  parseSignature,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { sandboxUsdcName } from '../../sandbox/tokens/usdc.ts';
import { poolOf } from '../client/handmadeQuote.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { balanceOf, executorAddress, senderOn } from './openMarket.ts';
import { executeCall, kinds } from './plans.ts';

const base = useOpenChain('base');

test('a foreign permit moves nothing, and a permit that was submitted before does not stop its owner', async () => {
  const { chain } = base;
  const [weth, usdc] = [chain.wrappedNative, chain.usdc];
  const { address: victim, privateKey } = base.walletOf('trader');
  const attacker = base.walletOf('stranger').address;
  const [byVictim, byAttacker] = [await senderOn(chain, victim), await senderOn(chain, attacker)];
  const holdings = async (owner: Address) => [await balanceOf(chain, weth, owner), await balanceOf(chain, usdc, owner)];
  await byVictim.restored(async () => {
    const domain = { name: sandboxUsdcName, version: '2', chainId: chain.chainId, verifyingContract: usdc } as const;
    const value = 10n ** 8n;
    await byVictim.send({
      to: usdc,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [executorAddress, 0n] }),
    });
    const types = {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    } as const;
    const deadline = 2n ** 40n;
    const message = { owner: victim, spender: executorAddress, value, nonce: 0n, deadline };
    const account = privateKeyToAccount(privateKey);
    const { r, s, yParity } = parseSignature(
      await account.signTypedData({ domain, types, primaryType: 'Permit', message }),
    );
    const v = yParity + 27;
    const permit = encodeAbiParameters(
      parseAbiParameters('uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s'),
      [value, deadline, v, r, s],
    );
    const [pool, tokenIn, tokenOut] = [poolOf(chain, 'uniswap-v3', weth, usdc).pool as Address, usdc, weth];
    const legs = [{ kind: kinds.v3, pool, tokenIn, tokenOut }];
    const buy = { tokenIn, tokenOut, amountIn: value, native: weth, legs, permit };
    const before = await holdings(victim);
    // The attacker uses the victim's signature in a plan of its own.
    expect((await byAttacker.send(executeCall({ plan: buy, to: attacker }))).ok).toBe(false);
    const abi = parseAbi(['function permit(address,address,uint256,uint256,uint8,bytes32,bytes32)']);
    const args = [victim, executorAddress, value, deadline, v, r, s] as const;
    const front = encodeFunctionData({ abi, functionName: 'permit', args });
    expect((await byAttacker.send({ to: usdc, data: front })).ok).toBe(true);
    expect((await byAttacker.send(executeCall({ plan: buy, to: attacker }))).ok).toBe(false);
    expect(await holdings(victim)).toEqual(before);
    expect((await byVictim.send(executeCall({ plan: buy, to: victim }))).ok).toBe(true);
    expect((before[1] ?? 0n) - (await balanceOf(chain, usdc, victim))).toBe(value);
    // The allowance is used up, and the signature cannot be used again.
    expect((await byVictim.send(executeCall({ plan: buy, to: victim }))).ok).toBe(false);
  });
});
