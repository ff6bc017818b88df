import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stopAll } from '../../harness/index.js';
import { DATA_ATTACKS } from './data-attacks.js';
import { DEFINITION_ATTACKS } from './definition-attacks.js';
import { REQUEST_ATTACKS } from './request-attacks.js';
import { type Scene, startScene } from './scene.js';
import { SERVER_ATTACKS } from './server-attacks.js';
import type { Sight } from './watch-thread.js';
import { VICTIMS_DEFINITION, watch } from './watch.js';

let scene: Scene;
let victimsId: string;
const sights: Sight[] = [];

beforeAll(async () => {
  scene = await startScene();
  victimsId = await scene.victim.save(VICTIMS_DEFINITION);
  await scene.victim.run(victimsId, { n: 1 });
});
afterAll(() => {
  print('the worst of all', {
    runs: sights.reduce((sum, { runs }) => sum + runs, 0),
    failures: [],
    slowestRun: Math.max(...sights.map(({ slowestRun }) => slowestRun)),
    slowestAnswer: Math.max(...sights.map(({ slowestAnswer }) => slowestAnswer)),
  });
});
afterAll(stopAll);

function print(name: string, { runs, slowestRun, slowestAnswer }: Sight): void {
  const ms = (value: number): string => `${Math.round(value)} ms`.padStart(8);
  process.stdout.write(
    `  ${ms(slowestRun)} run ${ms(slowestAnswer)} answer, of ${String(runs).padStart(4)}: ${name}\n`,
  );
}

describe('nobody else is hurt by', () => {
  it.each([...DATA_ATTACKS, ...DEFINITION_ATTACKS, ...REQUEST_ATTACKS, ...SERVER_ATTACKS])(
    '$name',
    async ({ name, ends, launch }) => {
      const { outcome, sight } = await watch(scene, victimsId, () => launch(scene));
      sights.push(sight);
      print(`${name} (${outcome})`, sight);
      expect(sight.failures).toEqual([]);
      expect(sight.runs).toBeGreaterThan(0);
      for (const app of [scene.api, ...scene.workers]) if (!app.isRunning()) throw new Error(app.output());
      if (typeof ends === 'string') expect(outcome).toBe(ends);
      else expect(outcome).toMatch(ends);
    },
  );
});
