import { concatHex, encodeFunctionData, type Hex, toFunctionSelector } from 'viem';
import { beaconArtifact } from '../../contracts/artifacts/testTokens/Beacon.ts';
import { beaconProxyArtifact } from '../../contracts/artifacts/testTokens/BeaconProxy.ts';
import { diamondTokenArtifact } from '../../contracts/artifacts/testTokens/DiamondToken.ts';
import { gatedImplementationArtifact } from '../../contracts/artifacts/testTokens/GatedImplementation.ts';
import { implementationTokenArtifact } from '../../contracts/artifacts/testTokens/ImplementationToken.ts';
import { regulatedImplementationArtifact } from '../../contracts/artifacts/testTokens/RegulatedImplementation.ts';
import { slotProxyArtifact } from '../../contracts/artifacts/testTokens/SlotProxy.ts';
import { ownPair } from './describeToken.ts';
import type { TokenDefinition, TokenDeployer } from './testTokenTypes.ts';
import { frozen, tradable } from './truths.ts';

/** Every implementation has the same initialize(). */
function initializeCall({ params, owner }: TokenDeployer): Hex {
  const { abi } = implementationTokenArtifact;
  return encodeFunctionData({ abi, functionName: 'initialize', args: [params(false), owner] });
}

/** EIP-1167: creation code of the 45-byte proxy that delegates every call. */
const cloneOf = (target: Hex): Hex =>
  concatHex(['0x3d602d80600a3d3981f3363d3d373d3d3d363d73', target, '0x5af43d82803e903d91602b57fd5bf3']);

/** Deploys a clone and initialises it by a separate call, as factories do. */
function deployClone(deployer: TokenDeployer): Hex {
  const clone = deployer.createRaw(cloneOf(deployer.create(implementationTokenArtifact)));
  deployer.call(clone, initializeCall(deployer));
  return clone;
}

const selectorsOf = (functions: readonly string[]): Hex[] => functions.map((name) => toFunctionSelector(name));

function deployDiamond(deployer: TokenDeployer): Hex {
  const viewFacet = deployer.create(implementationTokenArtifact);
  const transferFacet = deployer.create(implementationTokenArtifact);
  const facets = [
    {
      facetAddress: viewFacet,
      functionSelectors: selectorsOf([
        'name()',
        'symbol()',
        'decimals()',
        'totalSupply()',
        'balanceOf(address)',
        'allowance(address,address)',
      ]),
    },
    {
      facetAddress: transferFacet,
      functionSelectors: selectorsOf([
        'transfer(address,uint256)',
        'transferFrom(address,address,uint256)',
        'approve(address,uint256)',
      ]),
    },
  ];
  return deployer.create(diamondTokenArtifact, [facets, transferFacet, initializeCall(deployer)]);
}

/** No account can call initialize() again, which looks like a function for an unknown account. */
const closedInitializer = { powersHidden: true } as const;

/** Tokens behind proxies, clones and diamonds. */
export const proxyTokens: readonly TokenDefinition[] = [
  {
    symbol: 'PROXY',
    about: 'Honest, behind an EIP-1967 proxy that its admin can upgrade.',
    pools: [ownPair],
    truth: tradable(closedInitializer),
    deploy: (deployer) =>
      deployer.create(slotProxyArtifact, [
        deployer.create(implementationTokenArtifact),
        deployer.owner,
        initializeCall(deployer),
      ]),
  },
  {
    symbol: 'CLONE',
    about: 'Honest, a minimal clone (EIP-1167).',
    pools: [ownPair],
    truth: tradable(closedInitializer),
    deploy: deployClone,
  },
  {
    symbol: 'BEACON',
    about: 'Honest, behind a beacon proxy.',
    pools: [ownPair],
    truth: tradable(closedInitializer),
    deploy: (deployer) =>
      deployer.create(beaconProxyArtifact, [
        deployer.create(beaconArtifact, [deployer.create(implementationTokenArtifact)]),
        initializeCall(deployer),
      ]),
  },
  {
    symbol: 'DIAMOND',
    about: 'Honest, a small diamond (EIP-2535) of two facets.',
    pools: [ownPair],
    truth: tradable(closedInitializer),
    deploy: deployDiamond,
  },
  {
    symbol: 'REGUSD',
    about: "Honest, with a regulated issuer's powers: it can freeze holders, pause and mint.",
    decimals: 6,
    pools: [ownPair],
    truth: tradable({
      hasBlacklist: true,
      mintable: true,
      ownerRenounced: false,
      powers: [
        { effect: 'block-holder', by: 'owner', functionName: 'blacklist', args: ['holder'] },
        { effect: 'block-all-sales', by: 'owner', functionName: 'pause', args: [] },
        { effect: 'mint', by: 'owner', functionName: 'mint', args: ['thief', 'amount'] },
      ],
    }),
    abi: regulatedImplementationArtifact.abi,
    deploy: (deployer) =>
      deployer.create(slotProxyArtifact, [
        deployer.create(regulatedImplementationArtifact),
        deployer.owner,
        initializeCall(deployer),
      ]),
  },
  {
    symbol: 'GATEPROXY',
    about: 'Trap: a proxy token whose tradingEnabled() returns false.',
    pools: [ownPair],
    truth: frozen({
      verdict: 'avoid',
      triggers: ['TRADING_DISABLED'],
      tradingGate: { getter: 'tradingEnabled', reads: false, ambiguous: false },
    }),
    deploy: (deployer) =>
      deployer.create(slotProxyArtifact, [
        deployer.create(gatedImplementationArtifact),
        deployer.owner,
        initializeCall(deployer),
      ]),
  },
];
