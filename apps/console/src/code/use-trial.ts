import { useEffect, useState } from 'react';
import type { SampleData } from '../forms/sample-data.ts';
import { type Trial, tryExpression } from './try-expression.ts';

/** Evaluates a text with expressions while it is typed; the previous result stays until then. */
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
