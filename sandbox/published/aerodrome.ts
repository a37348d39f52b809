import { type CompiledGroup, compileGroup } from './compileGroup.ts';

const sourcePackage = 'sphere-mezo-solidity-files';

/** Aerodrome publishes no artifacts, so its contracts are compiled from a source package once per machine. */
export function compileAerodrome(): Promise<CompiledGroup> {
  return compileGroup({
    name: 'aerodrome',
    compiler: 'solc',
    entries: ['Pool', 'factories/PoolFactory', 'Router'].map(
      (name) => `${sourcePackage}/domains/aerodrome/contracts/${name}.sol`,
    ),
    settings: { optimizer: { enabled: true, runs: 200 }, evmVersion: 'cancun' },
  });
}

export function compileSlipstream(): Promise<CompiledGroup> {
  return compileGroup({
    name: 'slipstream',
    compiler: 'solc-0.7.6',
    entries: [
      'core/CLPool',
      'core/CLFactory',
      'core/fees/DynamicSwapFeeModule',
      'periphery/lens/QuoterV2',
      'periphery/SwapRouter',
    ].map((name) => `${sourcePackage}/domains/aerodrome-slipstream/contracts/${name}.sol`),
    settings: { optimizer: { enabled: true, runs: 200 }, evmVersion: 'istanbul' },
  });
}
