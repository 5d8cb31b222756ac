BEGIN TRANSACTION;
CREATE TABLE baselines (
	root TEXT NOT NULL, 
	run TEXT NOT NULL, 
	suite TEXT NOT NULL, 
	agent TEXT NOT NULL, 
	set_at TEXT NOT NULL, 
	note TEXT NOT NULL, 
	PRIMARY KEY (root, run)
);
INSERT INTO "baselines" VALUES('/evals/runs','20261123-171405-b49ec3','su','python:agent:run','2026-11-23T17:14:06.974Z','');
INSERT INTO "baselines" VALUES('/evals/runs','20261123-171359-b49ec3','su','python:agent:run','2026-11-23T17:14:08.615Z','first');
CREATE TABLE cases (
	run TEXT NOT NULL, 
	"case" TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	hash TEXT NOT NULL, 
	category TEXT NOT NULL, 
	verdict TEXT, 
	valid INTEGER NOT NULL, 
	passed INTEGER NOT NULL, 
	reason TEXT NOT NULL, 
	PRIMARY KEY (run, "case")
);
INSERT INTO "cases" VALUES('20261123-171359-b49ec3','GREET',0,'0104064fd75f','','passed',1,1,'');
INSERT INTO "cases" VALUES('20261123-171359-b49ec3','SUSPEND',1,'ec545c497fa6','','passed',1,1,'');
INSERT INTO "cases" VALUES('20261123-171405-b49ec3','GREET',0,'0104064fd75f','','passed',1,1,'');
INSERT INTO "cases" VALUES('20261123-171405-b49ec3','SUSPEND',1,'ec545c497fa6','','passed',1,1,'');
CREATE TABLE index_version (
	version INTEGER NOT NULL, 
	PRIMARY KEY (version)
);
INSERT INTO "index_version" VALUES(1);
CREATE TABLE runs (
	run TEXT NOT NULL, 
	suite TEXT NOT NULL, 
	suite_path TEXT NOT NULL, 
	agent TEXT NOT NULL, 
	started_at TEXT NOT NULL, 
	note TEXT NOT NULL, 
	folder TEXT NOT NULL, 
	root TEXT NOT NULL, 
	stamp TEXT NOT NULL, 
	state TEXT NOT NULL, 
	cases INTEGER NOT NULL, 
	passed_cases INTEGER NOT NULL, 
	trials INTEGER NOT NULL, 
	valid INTEGER NOT NULL, 
	passed INTEGER NOT NULL, 
	infra INTEGER NOT NULL, 
	rate FLOAT, 
	PRIMARY KEY (run)
);
INSERT INTO "runs" VALUES('20261123-171359-b49ec3','su','su','python:agent:run','2026-11-23T17:13:59.888Z','','/evals/runs/20261123-171359-b49ec3','/evals/runs','1795454039897881668.1795454042081876753.0','finished',2,2,2,2,2,0,1.0);
INSERT INTO "runs" VALUES('20261123-171405-b49ec3','su','su','python:agent:run','2026-11-23T17:14:05.040Z','','/evals/runs/20261123-171405-b49ec3','/evals/runs','1795454045045783897.1795454046948419883.0','finished',2,2,2,2,2,0,1.0);
CREATE TABLE suites (
	root TEXT NOT NULL, 
	name TEXT NOT NULL, 
	path TEXT NOT NULL, 
	description TEXT NOT NULL, 
	registered_at TEXT NOT NULL, 
	PRIMARY KEY (root, name)
);
INSERT INTO "suites" VALUES('/evals/runs','su','/evals/su','','2026-11-23T17:14:10.307Z');
CREATE TABLE trials (
	run TEXT NOT NULL, 
	"case" TEXT NOT NULL, 
	status TEXT NOT NULL, 
	count INTEGER NOT NULL, 
	PRIMARY KEY (run, "case", status)
);
INSERT INTO "trials" VALUES('20261123-171359-b49ec3','GREET','pass',1);
INSERT INTO "trials" VALUES('20261123-171359-b49ec3','SUSPEND','pass',1);
INSERT INTO "trials" VALUES('20261123-171405-b49ec3','GREET','pass',1);
INSERT INTO "trials" VALUES('20261123-171405-b49ec3','SUSPEND','pass',1);
CREATE INDEX cases_by_id ON cases ("case");
CREATE INDEX runs_by_suite ON runs (suite, started_at);
CREATE INDEX runs_by_root ON runs (root);
COMMIT;
