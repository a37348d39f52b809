import { expect, test } from 'vitest';
import { createCircuit } from './circuit.ts';

test('opens after two failures in a row; each further failure doubles the time it stays open, up to 30 s', () => {
  let now = 0;
  const circuit = createCircuit(() => now);
  circuit.failed();
  expect(circuit.restMs()).toBe(0);
  const rests = Array.from({ length: 6 }, () => {
    circuit.failed();
    const rest = circuit.restMs();
    now += rest;
    return rest;
  });
  expect(rests).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  circuit.succeeded();
  circuit.failed();
  expect(circuit.restMs()).toBe(0);
});
