import { type Abi, erc20Abi, toFunctionSelector } from 'viem';
import { expect, test } from 'vitest';
import { balanceLensArtifact } from '../../contracts/artifacts/lens/BalanceLens.ts';
import { concentratedStandInArtifact } from '../../contracts/artifacts/lens/ConcentratedStandIn.ts';
import { exitLensArtifact } from '../../contracts/artifacts/lens/ExitLens.ts';
import { pairStandInArtifact } from '../../contracts/artifacts/lens/PairStandIn.ts';
import { recheckLensArtifact } from '../../contracts/artifacts/lens/RecheckLens.ts';
import { roundTripWalletArtifact } from '../../contracts/artifacts/lens/RoundTripWallet.ts';
import { singletonStandInArtifact } from '../../contracts/artifacts/lens/SingletonStandIn.ts';
import { walletStandInArtifact } from '../../contracts/artifacts/lens/WalletStandIn.ts';
import { balanceSelector } from '../chain/readBalances.ts';
import { exitSelector } from './exit/encodeExit.ts';
import { recheckSelector } from './exit/encodeRecheck.ts';
import { routerSelectors } from './simulation/routers.ts';
import { selectors } from './simulation/toCall.ts';

const selectorsOf = (abi: Abi | readonly unknown[]) =>
  Object.fromEntries(
    (abi as Abi).flatMap((item) => (item.type === 'function' ? [[item.name, toFunctionSelector(item)]] : [])),
  );

test('default: every constant selector equals that of the contract’s ABI', () => {
  const { buy, sell, balanceOf, execute, roundTrip, approve, transfer, totalSupply, sync, tokenBalanceOf } = selectors;
  for (const { abi } of [pairStandInArtifact, concentratedStandInArtifact, singletonStandInArtifact]) {
    expect(selectorsOf(abi)).toMatchObject({ buy, sell, balanceOf });
  }
  expect(selectorsOf(roundTripWalletArtifact.abi)).toEqual({ roundTrip });
  expect(selectorsOf(walletStandInArtifact.abi)).toEqual({ execute });
  expect(selectorsOf(balanceLensArtifact.abi)).toEqual({ read: balanceSelector });
  const { approve: a, transfer: t, totalSupply: s, balanceOf: b } = selectorsOf(erc20Abi);
  expect([approve, transfer, totalSupply, tokenBalanceOf]).toEqual([a, t, s, b]);
  expect(sync).toBe(toFunctionSelector('function sync()'));
  expect(exitSelector).toBe(selectorsOf(exitLensArtifact.abi).query);
  expect(recheckSelector).toBe(selectorsOf(recheckLensArtifact.abi).recheck);
});

test('default: the selectors of the real router equal those of its signatures', () => {
  for (const [name, selector] of Object.entries(routerSelectors)) {
    const amounts = name.startsWith('swapExactETH') ? 'uint256' : 'uint256,uint256';
    expect(selector).toBe(toFunctionSelector(`function ${name}(${amounts},address[],address,uint256)`));
  }
});
