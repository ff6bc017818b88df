import { Textarea } from '@mantine/core';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogForm, submitBy } from '../../../components/form-dialog.tsx';
import { isAllAt, issueAt } from '../../../forms/issue-at.ts';
import { i18n } from '../../../language/i18n.ts';
import { useEditor, useEditorSession } from '../model/editor-session.tsx';

/** Paths of issues that concern the comment. */
const COMMENT_PATHS: readonly string[] = ['comment'];

/** Asks for a comment on a version, which is shown in the list of versions, and saves the version. */
export function SaveWithComment() {
  const { model, versions } = useEditorSession();
  const isOpen = useEditor(({ dialog }) => dialog?.kind === 'comment');
  const save = useEditor((state) => state.save);
  const close = (): void => {
    model.close('comment');
    model.forgetSave();
  };
  return (
    <Dialog isOpen={isOpen} onClose={close} title={i18n.t('Save with a comment')}>
      <DialogForm
        // That of a save that was refused.
        initial={{ comment: save.kind === 'failed' ? save.request.comment : '' }}
        submit={i18n.t('Save')}
        act={async ({ comment }) => {
          await versions.save(comment);
          model.close('comment');
        }}
        isShownAtField={(error) => isAllAt(error, COMMENT_PATHS)}
        onCancel={close}
      >
        {({ text, error }) => (
          <Textarea
            label={i18n.t('Comment')}
            description={i18n.t('Shown in the list of versions')}
            autosize
            minRows={3}
            maxRows={12}
            data-autofocus
            {...text('comment')}
            error={issueAt(error, 'comment')}
            onKeyDown={submitBy('mod+S')}
          />
        )}
      </DialogForm>
    </Dialog>
  );
}
