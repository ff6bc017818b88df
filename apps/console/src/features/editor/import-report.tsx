import { openTasks, type WorkflowImportReport } from '@deckhand/contracts';
import { Button, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { dismissImportReport, importReportQuery, workflowQuery } from '../../api/workflows.ts';
import problem from '../../components/problem.module.css';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';
import { useChooseNode } from './canvas/use-reveal.ts';
import classes from './import-report.module.css';
import { definitionOf } from './model/editor-model.ts';
import { useEditor, useEditorSession } from './model/editor-session.tsx';

type Tasks = WorkflowImportReport['tasks'];

const NO_TASKS: Tasks = [];
const LEVELS = { review: i18n.t('Review'), manual: i18n.t('Manual') } as const;

/** Returns the report of the import that the workflow comes from, with what the canvas has done of it. */
function useImportReport(): WorkflowImportReport | undefined {
  const { workflow } = useEditorSession();
  const { nodes } = useEditor(definitionOf);
  const { data } = useQuery({ ...importReportQuery(workflow.id), enabled: workflow.hasImportReport });
  return useMemo(
    () => (workflow.hasImportReport && data ? { ...data, tasks: openTasks(data.tasks, nodes) } : undefined),
    [workflow.hasImportReport, data, nodes],
  );
}

/** Returns what people have to review in nodes of an import, by their ids. */
export function useReviews(): ReadonlyMap<string, string> {
  const tasks = useImportReport()?.tasks ?? NO_TASKS;
  return useMemo(() => {
    const reviews = tasks
      .filter(({ level }) => level === 'review')
      .flatMap(({ message, nodes }) =>
        nodes.flatMap(({ nodeIds }) => nodeIds.slice(0, 1).map((id) => ({ id, message }))),
      );
    const byNode = Map.groupBy(reviews, ({ id }) => id);
    return new Map([...byNode].map(([id, each]) => [id, each.map(({ message }) => message).join('; ')]));
  }, [tasks]);
}

/** What people have to do since the import, until somebody dismisses it. The name of a node selects it. */
export function ImportReport() {
  const report = useImportReport();
  const { workflow } = useEditorSession();
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const queryClient = useQueryClient();
  const dismiss = useMutation({
    mutationFn: () => dismissImportReport(workflow.id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: workflowQuery(workflow.id).queryKey }),
  });
  if (!report) return null;
  const { tasks, remarks, omittedTasks } = report;
  const done = tasks.filter((task) => task.done).length;
  return (
    <details className={`${problem.problem} ${classes.report}`}>
      <summary>{i18n.t('Imported from n8n: {open} to do, {done} done', { open: tasks.length - done, done })}</summary>
      <ul>
        {remarks.map((remark) => (
          <li key={remark}>{i18n.t('The workflow {remark}.', { remark })}</li>
        ))}
        {tasks.map((task) => (
          <Task key={`${task.level}: ${task.message}`} task={task} />
        ))}
        {omittedTasks > 0 && (
          <li>{i18n.t('{count, plural, one {# more task} other {# more tasks}}', { count: omittedTasks })}</li>
        )}
      </ul>
      <Problem error={dismiss.error} />
      {!isReadOnly && (
        <Group justify="flex-end">
          <Button size="xs" variant="default" loading={dismiss.isPending} onClick={() => dismiss.mutate()}>
            {i18n.t('Dismiss for all members')}
          </Button>
        </Group>
      )}
    </details>
  );
}

function Task({ task: { level, message, nodes, done } }: { task: Tasks[number] }) {
  const choose = useChooseNode();
  return (
    <li data-done={done} data-level={level}>
      <strong>{done ? i18n.t('Done') : LEVELS[level]}</strong> {message}
      {nodes.map(({ name, nodeIds: [first], done: isDone }) => (
        <span key={name}>
          {' '}
          {isDone || first === undefined ? (
            <span data-done={isDone}>{name}</span>
          ) : (
            <button type="button" onClick={() => choose(first)}>
              {name}
            </button>
          )}
        </span>
      ))}
    </li>
  );
}
