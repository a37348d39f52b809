import { defineConfig } from 'vitest/config';

/** The unit tests of the modules that stryker.config.json mutates. */
export default defineConfig({
  test: {
    include: [
      'engine/quote/{confidence,coverage}.test.ts',
      'engine/pretrade/{verdict,confidence}.test.ts',
      'engine/pretrade/axes/{age,oracle}.test.ts',
      'server/payments/replayWindow.test.ts',
    ],
  },
});
