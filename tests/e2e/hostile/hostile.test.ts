import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stopAll } from '../../harness/index.ts';
import { DATA_ATTACKS } from './data-attacks.ts';
import { DEFINITION_ATTACKS } from './definition-attacks.ts';
import { REQUEST_ATTACKS } from './request-attacks.ts';
import { type Scene, startScene } from './scene.ts';
import { SERVER_ATTACKS } from './server-attacks.ts';
import type { Sight } from './watch-thread.ts';
import { VICTIMS_DEFINITION, watch } from './watch.ts';

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
