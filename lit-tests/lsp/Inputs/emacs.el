;; A session of Emacs with the configuration for eglot that docs/editors.md has. The test gives it as
;; QDADVISE_ELISP, and the file as QDADVISE_FILE.

(package-initialize)
(require 'eglot)
(setq create-lockfiles nil
      make-backup-files nil
      eglot-confirm-server-initiated-edits nil
      eglot-send-changes-idle-time 0)
(load (getenv "QDADVISE_ELISP"))

(defun say (text &rest arguments)
  (princ (concat (apply #'format text arguments) "\n")))

(defun wait-until (what holds)
  (let ((end (+ (float-time) 120)))
    (while (not (funcall holds))
      (when (> (float-time) end)
        (say "FAILED: waited in vain until %s" what)
        (kill-emacs 1))
      (accept-process-output nil 0.05))))

(defun advice ()
  (sort (mapcar (lambda (one)
                  (cons (line-number-at-pos (flymake-diagnostic-beg one))
                        (flymake-diagnostic-text one)))
                (flymake-diagnostics))
        (lambda (a b) (< (car a) (car b)))))

(defun say-advice (title)
  (say "== %s" title)
  (dolist (one (advice))
    (say "%d: %s" (car one) (cdr one))))

(defun is-stale ()
  (seq-some (lambda (one) (string-match-p "is stale" (cdr one))) (advice)))

(defun go-to (text)
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0)))

;; Flymake asks for diagnostics in a window's idle time, which a batch has not.
(defun edited ()
  (eglot--signal-textDocument/didChange))

(defvar showed nil)
(advice-add 'eglot--message :before
            (lambda (form &rest arguments) (push (apply #'format form arguments) showed)))

(find-file (getenv "QDADVISE_FILE"))
(c++-mode)
(apply #'eglot (eglot--guess-contact))
(flymake-start)
(wait-until "there is advice" #'advice)
(say-advice "opened")

(say "== hover")
(go-to "records_.push_back")
(say "%s" (car (split-string
                (plist-get (plist-get (jsonrpc-request (eglot-current-server) :textDocument/hover
                                                       (eglot--TextDocumentPositionParams))
                                      :contents)
                           :value)
                "\n")))

(let ((first (caar (advice))))
  (goto-char (point-min))
  (insert "// äöü𝄞\n\n")
  (edited)
  (wait-until "the advice has moved" (lambda () (and (advice) (= (caar (advice)) (+ first 2))))))
(say-advice "edited above")

(go-to "records_.push_back")
(let ((line (buffer-substring (line-beginning-position) (line-beginning-position 2))))
  (beginning-of-line)
  (insert line)
  (edited)
  (wait-until "advice is stale" #'is-stale)
  (say-advice "edited inside")
  (go-to "records_.push_back")
  (delete-region (line-beginning-position) (line-beginning-position 2)))
(edited)
(save-buffer)
(wait-until "it is read again" (lambda () (and (advice) (not (is-stale)))))
(say-advice "taken back and saved")

;; As the menu of code actions does.
(go-to "pthread_mutex_lock(&")
(let* ((place (eglot--pos-to-lsp-position))
       (actions (jsonrpc-request (eglot-current-server) :textDocument/codeAction
                                 (list :textDocument (eglot--TextDocumentIdentifier)
                                       :range (list :start place :end place)
                                       :context (list :diagnostics []))))
       (chosen (seq-find (lambda (one) (string-match-p "Make Journal::lock_" (plist-get one :title)))
                         actions))
       (command (plist-get chosen :command))
       (text (buffer-string)))
  (say "== %s" (plist-get chosen :title))
  (setq showed nil)
  (eglot-execute-command (eglot-current-server) (intern (plist-get command :command))
                         (plist-get command :arguments))
  (wait-until "the edit is made" (lambda () (not (equal (buffer-string) text))))
  (say "%s" (string-join (reverse showed) "\n")))
(save-buffer)
(eglot-shutdown (eglot-current-server))
