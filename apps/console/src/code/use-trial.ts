import { useEffect, useState } from 'react';
import type { SampleData } from '../forms/sample-data.js';
import { type Trial, tryExpression } from './try-expression.js';

/** What comes of a text with expressions in it, as it is typed; what came before stays until then. */
export function useTrial(text: string, data: SampleData): Trial {
  const [trial, setTrial] = useState<Trial>({ kind: 'constant' });
  useEffect(() => {
    let isOver = false;
    void tryExpression(text, data).then((next) => {
      if (!isOver) setTrial(next);
    });
    return () => {
      isOver = true;
    };
  }, [text, data]);
  return trial;
}
