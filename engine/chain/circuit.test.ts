import { expect, test } from 'vitest';
import { createCircuit } from './circuit.ts';

test('opens after two failures in a row; each further failure doubles the time it stays open, up to 30 s', () => {
  let now = 0;
  const circuit = createCircuit(() => now);
  circuit.failed();
  expect(circuit.openMs()).toBe(0);
  const durations = Array.from({ length: 6 }, () => {
    circuit.failed();
    const duration = circuit.openMs();
    now += duration;
    return duration;
  });
  expect(durations).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  circuit.succeeded();
  circuit.failed();
  expect(circuit.openMs()).toBe(0);
});
